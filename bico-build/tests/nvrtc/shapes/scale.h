typedef float Scale;
