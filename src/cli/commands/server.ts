import { accountExists, deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'
import { migrateStore } from '#db/installation/open-store.ts'
import { defineCommand } from '../arguments.ts'

const HEALTH_TIMEOUT_MS = 5_000

const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the database to this release, as starting the server does',
  options: {},
  run: ({ config }) => migrateStore(config),
})

const health = defineCommand({
  name: 'health',
  summary: 'Check whether the server is ready',
  options: {},
  async run({ config: { baseUrl } }) {
    try {
      const response = await fetch(`${baseUrl}/readyz`, {
        redirect: 'error',
        signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
      })
      const body: unknown = await response.json()
      if (typeof body === 'object' && body !== null && 'status' in body) return body
      throw new Error('The response is not from Docket')
    } catch (error) {
      throw serviceUnavailable(`Cannot reach Docket at ${baseUrl}.`, error)
    }
  },
  isFailure: (result) => !('status' in result && result.status === 'ready'),
})

const setupToken = defineCommand({
  access: 'read',
  name: 'setup-token',
  summary: 'Print the setup token, which the first account of an installation needs',
  options: {},
  async run({ config: { baseUrl, accounts }, storage, secret }) {
    if (await (await storage()).read(ANONYMOUS_ACTOR, accountExists)) {
      throw new ApiError(403, 'signup_disabled', 'There is an account already: sign-up is over.')
    }
    return {
      setup_token: deriveSetupToken(await secret()),
      required: accounts.requiresSetupToken,
      sign_up_url: `${baseUrl}/sign-up`,
    }
  },
})

/** Starts a server, which parses the name of the command itself. */
const serverCommand = (name: 'serve' | 'work', summary: string) =>
  defineCommand({
    name,
    summary,
    options: {},
    async run() {
      await import('../../main.ts')
      return undefined
    },
  })

const serve = serverCommand('serve', 'Start a process that only serves requests; needs PostgreSQL')
const work = serverCommand(
  'work',
  'Start a process that only sends webhooks and runs background jobs; needs PostgreSQL',
)

export const serverCommands = [serve, work, migrate, health, setupToken]
