import { parseConfig } from '#config/config.ts'
import { openLog } from '#http/server/log.ts'
import type { ServerOptions } from '#server/app.ts'
import { runServer } from '#server/run-server.ts'

/**
 * A server with limits, rules and intervals that no setting changes: TEST_SERVER_OPTIONS has them as JSON
 * (`options` of startServer).
 */
const options: ServerOptions = JSON.parse(process.env.TEST_SERVER_OPTIONS ?? '{}')
const config = parseConfig(process.env)
const log = openLog(config.log.level === 'auto' ? 'info' : config.log.level, 2, config.dataDir)
const fail = (err: unknown): never => {
  log.fatal({ err }, 'Unexpected error')
  process.exit(1)
}
process.once('exit', () => log.flushNow())
process.on('uncaughtException', fail).on('unhandledRejection', fail)
await runServer({ servesRequests: true, runsJobs: true }, config, log, fail, options)
