mod bandit;
