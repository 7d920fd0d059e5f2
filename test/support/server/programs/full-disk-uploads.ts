import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { createTempDir } from '../../system/temp-dir.ts'
import { createTestWorkspace } from '../../world/test-workspace.ts'

/** Uploads files, some beyond the process's file size limit, and prints the outcome as JSON. */
const dataDir = createTempDir()
const config = parseConfig({ DOCKET_DATA_DIR: dataDir })
const { storage, secret } = await openStore(config)
const { server } = await createApp(storage, config, secret, openLog('silent'))
const { keys, project, workspace } = await createTestWorkspace(storage)
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
const attachments = await server.inject({ url, headers })
const count = (name: string) => readdirSync(join(dataDir, 'files', name)).length
const rows = attachments.json().data.length
console.log(JSON.stringify({ statuses, drafts: count('drafts'), files: count(workspace), rows }))
await storage.close()
process.exit(0)
