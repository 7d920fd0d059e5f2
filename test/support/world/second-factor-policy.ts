import assert from 'node:assert/strict'
import type { DatabaseEngine } from '#core/transaction.ts'
import type { Role } from '#wire/rights.ts'
import { openTestDocket, withoutRowLevelSecurity } from '../engines/test-docket.ts'
import type { TestClock } from '../system/test-clock.ts'
import { createCookieClient, describeReply } from './cookie-client.ts'
import { setTestPassword, TEST_PASSWORD } from './test-password.ts'
import { createTestWorkspace } from './test-workspace.ts'
import { enrollSecondFactor } from './totp-app.ts'

export const POLICY_SITE = 'http://localhost:4000'
export const POLICY = '/internal/workspace/sign-in'
export const FACTOR_MISSING = '403 second_factor_missing'
export const BOOT = 'GET /internal/boot'

/** A workspace whose owner is signed in, and can require a second factor with `setPolicy`. */
export async function openPolicyWorkspace(
  engine: DatabaseEngine,
  clock: TestClock,
  env: Record<string, string> = {},
) {
  const settings = { DOCKET_BASE_URL: POLICY_SITE, DOCKET_PORT: '4000', ...env }
  const served = await openTestDocket(
    engine,
    { ...withoutRowLevelSecurity(engine), ...settings },
    { clock },
  )
  const { storage, server } = served
  const team = await createTestWorkspace(storage)
  const emails = new Map<Role, string>()
  const enter = async (role: Role, one = createCookieClient(server, POLICY_SITE)) => {
    // Setting the password again would end the open sessions.
    const email = emails.get(role) ?? (await setTestPassword(storage, team, role))
    emails.set(role, email)
    const entered = await one.send('POST /internal/session', { email, password: TEST_PASSWORD })
    return { one, entered, email }
  }
  const owner = (await enter('owner')).one
  const setPolicy = (second_factor: string, one = owner) =>
    one.send(`PATCH ${POLICY}`, { second_factor })
  return { ...served, team, enter, owner, setPolicy }
}

/** The owner has a second factor, and all other members are required to have one. */
export async function openWorkspaceWithPolicy(
  engine: DatabaseEngine,
  clock: TestClock,
  env: Record<string, string> = {},
) {
  const world = await openPolicyWorkspace(engine, clock, env)
  await enrollSecondFactor(world.owner, clock)
  assert.equal(describeReply(await world.setPolicy('required')), '200')
  return world
}
