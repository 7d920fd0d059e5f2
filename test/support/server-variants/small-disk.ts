import { join } from 'node:path'
import { parseConfig } from '#config/config.ts'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'

/** A server whose database has at most TEST_MAX_PAGES pages, as if the disk were full then. */
const config = parseConfig(process.env)
const { dataDir, baseUrl, settings, secret = '' } = config
const storage = openSqlite({
  path: join(dataDir, DATABASE_FILENAME),
  maxPages: Number(process.env.TEST_MAX_PAGES),
  baseUrl,
  settings,
  seal: createEncryptor(secret),
})
const { server } = await createApp(storage, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
