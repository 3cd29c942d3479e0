/* Tells the language: the files before it do not. */
