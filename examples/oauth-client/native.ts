import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  connectToDocket,
  createAuthorizationUrl,
  exchangeCode,
  isAuthorizationEnded,
  listOpenTasks,
  renewTokens,
  revokeAuthorization,
  type UserTokens,
} from './docket.ts'
import { listenOnLoopback, openSystemBrowser } from './loopback.ts'
import { deleteSignInFile, readSignInFile, writeSignInFile } from './sign-in-file.ts'

const { DOCKET_URL = 'http://127.0.0.1:4000', DOCKET_CLIENT_ID } = process.env
const { TASKS_FILE: file = join(homedir(), '.docket-tasks.json') } = process.env
const signsOut = process.argv[2] === '--sign-out'
const stored = await readSignInFile(file)
const [url, client_id] = [stored?.url ?? DOCKET_URL, stored?.client_id ?? DOCKET_CLIENT_ID]
if (!client_id || (process.argv[2] && !signsOut)) {
  console.error(
    'Usage: DOCKET_CLIENT_ID=app_… npx node examples/oauth-client/native.ts [--sign-out]',
  )
  process.exit(2)
}

const docket = await connectToDocket(url, client_id)
if (signsOut) {
  await deleteSignInFile(file)
  if (stored) await revokeAuthorization(docket, stored.refresh_token)
} else {
  const { access, refresh } = (await renewStored()) ?? (await signIn())
  // First of all: after a crash, the old refresh token would be useless and end the authorization.
  await writeSignInFile(file, { url, client_id, refresh_token: refresh })
  for (const { short_id, title, due_date } of (await listOpenTasks(docket, access)) ?? []) {
    console.log([short_id, title, due_date ?? ''].join('  ').trimEnd())
  }
}

/** Renews the stored authorization; undefined if there is none or it has ended. */
async function renewStored(): Promise<UserTokens | undefined> {
  try {
    return stored && (await renewTokens(docket, stored.refresh_token))
  } catch (error) {
    if (!isAuthorizationEnded(error)) throw error
    return undefined
  }
}

async function signIn(): Promise<UserTokens> {
  const { redirectUri, came } = await listenOnLoopback()
  const { address, checks } = await createAuthorizationUrl(docket, redirectUri)
  const back = came(checks.expectedState)
  openSystemBrowser(address)
  return exchangeCode(docket, await back, checks)
}
