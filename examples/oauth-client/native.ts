import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  begin,
  connect,
  finish,
  hasEnded,
  openTasks,
  renew,
  revoke,
  type Tokens,
} from './docket.ts'
import { forget, keep, read } from './kept.ts'
import { loopback, openBrowser } from './loopback.ts'

const { DOCKET_URL = 'http://127.0.0.1:4000', DOCKET_CLIENT_ID } = process.env
const { TASKS_FILE: file = join(homedir(), '.docket-tasks.json') } = process.env
const signsOut = process.argv[2] === '--sign-out'
const before = await read(file)
const [url, client_id] = [before?.url ?? DOCKET_URL, before?.client_id ?? DOCKET_CLIENT_ID]
if (!client_id || (process.argv[2] && !signsOut)) {
  console.error(
    'Usage: DOCKET_CLIENT_ID=app_… npx node examples/oauth-client/native.ts [--sign-out]',
  )
  process.exit(2)
}

const docket = await connect(url, client_id)
if (signsOut) {
  await forget(file)
  if (before) await revoke(docket, before.refresh_token)
} else {
  const { access, refresh } = (await again()) ?? (await signIn())
  // Before anything else: after a crash here the old one would end it all.
  await keep(file, { url, client_id, refresh_token: refresh })
  for (const { short_id, title, due_date } of (await openTasks(docket, access)) ?? []) {
    console.log([short_id, title, due_date ?? ''].join('  ').trimEnd())
  }
}

/** Goes on with what was allowed before, if it was and still is. */
async function again(): Promise<Tokens | undefined> {
  try {
    return before && (await renew(docket, before.refresh_token))
  } catch (error) {
    if (!hasEnded(error)) throw error
    return undefined
  }
}

async function signIn(): Promise<Tokens> {
  const { redirectUri, came } = await loopback()
  const { address, checks } = await begin(docket, redirectUri)
  const back = came(checks.expectedState)
  openBrowser(address)
  return finish(docket, await back, checks)
}
