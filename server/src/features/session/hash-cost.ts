/**
 * What a new hash of a password costs: OWASP's recommendation for argon2id on small servers, 19 MiB (in KiB here), two
 * passes, one lane, which is some 60 ms of a processor. Tests lower it, as thousands of their passwords are looked at.
 */
export const hashCost = { memory: 19_456, passes: 2, parallelism: 1 }
