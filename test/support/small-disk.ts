import { join } from 'node:path'
import { openLog } from '#http/log.ts'
import { DATABASE } from '#storage/data-dir.ts'
import { sealer } from '#storage/seal.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server whose database has so many pages at most, as if the disk had no more. */
const config = configFrom(process.env)
const { dataDir, baseUrl, settings, secret = '' } = config
const storage = openSqlite({
  path: join(dataDir, DATABASE),
  maxPages: Number(process.env.TEST_MAX_PAGES),
  baseUrl,
  settings,
  seal: sealer(secret),
})
const { server } = await app(storage, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
