import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'

/** Control: a server that exits on SIGTERM without draining must fail the draining experiment. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const { server } = await createApp(storage, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
process.on('SIGTERM', () => process.exit(0))
