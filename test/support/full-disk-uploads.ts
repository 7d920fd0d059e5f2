import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from './dir.ts'
import { newHome } from './home.ts'

/** Attaches files of which some are larger than this process may write, and tells what came of it. */
const dataDir = emptyDir()
const config = configFrom({ DOCKET_DATA_DIR: dataDir })
const { storage, secret } = await openStore(config)
const { server } = await app(storage, config, secret, openLog('silent'))
const { keys, project, workspace } = await newHome(storage)
const headers = { authorization: `Bearer ${keys.owner}` }
const task = await server.inject({
  method: 'POST',
  url: '/api/v1/tasks',
  headers: { ...headers, 'content-type': 'application/json' },
  payload: { project_id: project, title: 'T' },
})
const url = `/api/v1/tasks/${task.json().id}/attachments`
const statuses: number[] = []
for (const size of [4_000_000, 3_300_000, 1_000]) {
  const upload = { method: 'POST', url: `${url}?filename=a`, headers } as const
  statuses.push((await server.inject({ ...upload, payload: Buffer.alloc(size) })).statusCode)
}
const listed = await server.inject({ url, headers })
const count = (name: string) => readdirSync(join(dataDir, 'files', name)).length
const rows = listed.json().data.length
console.log(JSON.stringify({ statuses, drafts: count('drafts'), files: count(workspace), rows }))
await storage.close()
process.exit(0)
