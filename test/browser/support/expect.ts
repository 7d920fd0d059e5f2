import { expect as expectWithin } from '@playwright/test'

/**
 * So long a condition is waited for: an upper bound for a machine on which much else runs. A test that waits until
 * something does *not* appear must not rely on it: it waits for something that comes later.
 */
export const CONDITION_TIMEOUT_MS = 30_000

export const expect = expectWithin.configure({ timeout: CONDITION_TIMEOUT_MS })
