import { expect as expectWithin } from '@playwright/test'

/**
 * How long a condition may take: an upper bound for a busy machine. A test that something does
 * *not* appear must not rely on it, but wait for something that comes later.
 */
export const CONDITION_TIMEOUT_MS = 30_000

export const expect = expectWithin.configure({ timeout: CONDITION_TIMEOUT_MS })
