import { type Config, ConfigError, parseConfig } from './config/config.ts'
import { openLog } from './http/server/log.ts'
import { isClusterWorker, superviseWorkers } from './server/cluster.ts'
import { parseProcessRole } from './server/process-role.ts'
import { runServer } from './server/run-server.ts'

/** sysexits.h: the configuration is wrong; the system failed. */
const EX_CONFIG = 78
const EX_OSERR = 71

const role =
  parseProcessRole(process.argv[2]) ??
  exitWithUsage(`Unexpected argument: ${process.argv[2]}. Accepted: serve, work, or none for both.`)
const config = loadConfig()
if (!config.databaseUrl && !(role.servesRequests && role.runsJobs)) {
  exitWithUsage('serve and work require PostgreSQL: set DOCKET_DATABASE_URL.')
}
const log = openLog(logLevelOf(config), 2, config.dataDir)
// Also where a start fails, something unexpected happens or a second signal ends the process.
process.once('exit', () => log.flushNow())
process.on('uncaughtException', fail).on('unhandledRejection', fail)
if (config.processes > 1 && !isClusterWorker()) {
  superviseWorkers({ count: config.processes, log })
} else await runServer(role, config, log, fail)

function loadConfig(): Config {
  try {
    return parseConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const mistake of error.mistakes) console.error(mistake)
    process.exit(EX_CONFIG)
  }
}

function exitWithUsage(reason: string): never {
  console.error(reason)
  process.exit(EX_CONFIG)
}

/** On a terminal, a log line for each request would be noise. */
function logLevelOf({ log: { level } }: Config) {
  if (level !== 'auto') return level
  return process.stderr.isTTY ? 'warn' : 'info'
}

/** After an unexpected error or a failing disk, only a restart is safe. */
function fail(error: unknown): never {
  log.fatal({ err: error }, 'Unexpected error: the process exits and must be restarted')
  process.exit(EX_OSERR)
}
