/**
 * What a new hash of a password costs: OWASP's recommendation for argon2id on small servers, 19 MiB (in KiB here), two
 * passes, one lane, which is some 60 ms of a processor. Only `server/testing/setup.ts` lowers it: tests have thousands of
 * passwords looked at.
 */
export const hashCost = { memory: 19_456, passes: 2, parallelism: 1 }
