import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { DEFAULT_PLAN } from '#auth/workspaces/workspaces.ts'
import type { Config } from '#config/config.ts'
import type { Storage } from '#core/transaction.ts'
import { measureClockDifferences } from '#db/events/outbox.ts'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import {
  findDatabaseDamage,
  makeDirectory,
  type ServedDataDir,
  serveDataDir,
} from '#db/installation/data-dir.ts'
import { type OpenedStore, openStore } from '#db/installation/open-store.ts'
import { isPostgresMissing } from '#db/postgres/session.ts'
import { createDemoWorkspace } from '#demo/create-demo-workspace.ts'
import { claimFirstStart, createDemoCredentials, welcomeText } from '#demo/first-start.ts'
import { listenOn } from '#http/server/listen.ts'
import { createAuditLog, type Logger } from '#http/server/log.ts'
import { registerRuntimeMetrics } from '#http/server/request-end.ts'
import { isTimezone } from '#lib/days.ts'
import { onStopSignal } from '#lib/stop-signals.ts'
import { openInstallationId } from '#webhooks/installation-id.ts'
import { createApp, type ServerOptions } from './app.ts'
import {
  createClusterMetricsReader,
  isClusterWorker,
  isFirstProcess,
  reportReady,
} from './cluster.ts'
import { startBackgroundWork } from './jobs.ts'
import type { ProcessRole } from './process-role.ts'
import {
  createMigrationListener,
  damageMessage,
  describeDatabase,
  formatStartError,
  formatStartLine,
  type ServerLocation,
  setupText,
} from './start-messages.ts'

const MAX_DIFFERENCE_MS = 5_000
const REMEDY = 'Synchronize it with a time server (chrony, systemd-timesyncd).'

/**
 * Logs if the clock of this machine was set back since the last event, or differs from that of
 * PostgreSQL: stored times and what depends on them, such as due dates and retries, are wrong then.
 */
export async function warnOfWrongClock(
  storage: Storage,
  log: { warn(figures: object, message: string): void },
): Promise<void> {
  const { newestEventMs, databaseMs } = await measureClockDifferences(storage)
  const figures = (ms: number) => ({ seconds: Math.round(ms / 1_000) })
  if (newestEventMs > MAX_DIFFERENCE_MS) {
    log.warn(
      figures(newestEventMs),
      `The newest event is in the future: the clock of this machine was set back. ${REMEDY}`,
    )
  }
  if (Math.abs(databaseMs) > MAX_DIFFERENCE_MS) {
    log.warn(
      figures(databaseMs),
      `The clock of PostgreSQL differs from that of this machine. ${REMEDY}`,
    )
  }
}

/** The steps of a shutdown in their order. */
interface ShutdownSteps {
  lifecycle: { isDraining: boolean }
  /** Seconds in which it still accepts connections, so that a load balancer can remove it. */
  drainSeconds: number
  server: FastifyInstance
  /** Stops background work. It runs during the requests' deadline, not after it. */
  stopBackgroundWork: () => Promise<unknown>
  /** Closes what requests and background work need, the storage last. */
  closeResources: () => Promise<void>
}

/** Supervisors kill a process that has not stopped after half a minute. */
const SHUTDOWN_TIMEOUT_MS = 25_000
const IDLE_SWEEP_INTERVAL_MS = 50

/**
 * Stops a server without failing requests: first `/readyz` fails while connections are still
 * accepted, then no new connection is accepted and running requests finish. Everything that takes
 * longer than `timeoutMs` in total is aborted.
 */
export async function shutDown(
  steps: ShutdownSteps,
  timeoutMs = SHUTDOWN_TIMEOUT_MS,
): Promise<void> {
  const { lifecycle, drainSeconds, server, stopBackgroundWork, closeResources } = steps
  const deadline = performance.now() + timeoutMs
  lifecycle.isDraining = true
  await pause(Math.min(drainSeconds * 1000, timeoutMs))
  const abortTimer = setTimeout(
    () => server.server.closeAllConnections(),
    deadline - performance.now(),
  )
  // A connection that was busy at the start of the close stays open after its reply, and blocks the
  // close.
  const sweepTimer = setInterval(() => server.server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS)
  const timeout = pause(deadline - performance.now(), undefined, { ref: false })
  await Promise.all([server.close(), Promise.race([stopBackgroundWork(), timeout])])
  clearInterval(sweepTimer)
  await closeResources()
  clearTimeout(abortTimer)
}

const RETRY_INTERVAL_MS = 1_000
/** For how long a start waits for a PostgreSQL that cannot be reached. */
const DATABASE_WAIT_SECONDS = 60

/**
 * Opens the database, and tries again while PostgreSQL cannot be reached: after a reboot it may start
 * later than Docket. Says once that it waits. Any other error is thrown at once.
 */
async function waitForDatabase<T>(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
  log: Logger,
  open: () => Promise<T>,
  seconds = DATABASE_WAIT_SECONDS,
): Promise<T> {
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  for (let tries = 1; ; tries += 1) {
    try {
      const opened = await open()
      if (tries > 1) {
        const waited = Math.round((performance.now() - startedAt) / 1000)
        console.log(`${describeDatabase(config)} answers after ${waited} s`)
      }
      return opened
    } catch (error) {
      if (config.databaseUrl === undefined || !isPostgresMissing(error)) throw error
      if (performance.now() + RETRY_INTERVAL_MS > deadline) throw error
      if (tries === 1) {
        const reason = reasonOf(error)
        console.error(
          `${describeDatabase(config)} cannot be reached (${reason}); waiting for it for up to ${seconds} s`,
        )
        log.warn({ reason, seconds }, 'Waiting for the database')
      }
      await pause(RETRY_INTERVAL_MS)
    }
  }
}

/** A refused connection to several addresses of a host has a code and no message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

/**
 * Resolves with the first SIGTERM or SIGINT; a later one ends the process at once. A start calls this
 * first: process 1 of a container ignores signals without a handler, and others die of them.
 */
function receiveStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  onStopSignal(resolve, () => {
    // The supervisor ends its workers itself.
    if (!isClusterWorker()) process.exit(1)
  })
  return promise
}

/**
 * Gives the memory back that the start has left, which would stay for hours on a server with little to do;
 * only this flavor does.
 */
const collectGarbage = () => globalThis.gc?.({ type: 'major', flavor: 'last-resort' })

/**
 * Starts one process of Docket, which runs until it is stopped. If it cannot start, prints the reason and exits.
 * Tests give it other limits and rules than those of every real server.
 */
export async function runServer(
  role: ProcessRole,
  config: Config,
  log: Logger,
  fail: (error: unknown) => never,
  options: ServerOptions = {},
): Promise<void> {
  const stopSignal = receiveStopSignal()
  const exit = createExitHandler(config)
  const held = config.databaseUrl ? undefined : serveDataDirOrExit(config)
  const opening = waitForDatabase(config, log, open, options.databaseWaitSeconds).catch(exit)
  const opened = await Promise.race([opening, stopSignal])
  if (typeof opened === 'string') return stopOpening(opened)
  // From here on a signal waits for the end of the start, which is near: the server may already serve
  // requests, and a first start is making the demo.
  const { secret, storage } = opened
  const app = await createApp(storage, config, secret, log, role, options)
  const { server, appContext } = app
  registerRuntimeMetrics(appContext.metrics.registry)
  if (isClusterWorker())
    appContext.metrics.render = createClusterMetricsReader(appContext.metrics.registry)
  appContext.lifecycle.isStarting = true
  // Records the installation id of a new database before anyone can add a webhook to it.
  const installation = openInstallationId(storage, config.dataDir)
  await installation.findMismatch().catch(exit)
  const setup = await prepareFirstStart().catch(exit)
  // Most of it is here already, and takes 70 ms, which would hold up requests.
  collectGarbage()
  const address = await listenOn(server, config, (skipped, err) =>
    log.warn({ err, address: skipped }, 'Docket does not listen on this address of localhost'),
  ).catch((error) => {
    // The next start does not print it again.
    if (setup !== undefined) console.log(setup)
    return exit(error)
  })
  const background = await startBackgroundWork(
    {
      ...app,
      config,
      secret,
      installation,
      runsJobs: role.runsJobs,
      isAlone: held !== undefined,
    },
    options,
  ).catch(exit)
  // Not before they can be printed: the next start does not make new ones.
  const demo = await createDemoCredentials(storage).catch(exit)
  collectGarbage()
  appContext.lifecycle.isStarting = false
  const what = role.servesRequests ? 'Docket' : 'Docket worker'
  const { dataDir, processes } = config
  const [data_dir, database] = [resolve(dataDir), describeDatabase(config)]
  log.info(
    { address, engine: storage.engine, database, data_dir, processes, version: BUILD_INFO.version },
    `${what} started`,
  )
  if (isFirstProcess()) console.log(`${what} is running at ${address}\n${formatStartLine(config)}`)
  const welcome = demo ? welcomeText(config.baseUrl, demo) : setup
  if (welcome !== undefined) console.log(welcome)
  reportReady()
  if (isFirstProcess()) {
    const warned = warnOfWrongClock(storage, log)
    warned.catch((err) => log.error({ err }, 'Failed to check the clock'))
  }
  void stopSignal.then(stop)

  async function open(): Promise<OpenedStore> {
    const logWarning = (message: string, figures: object) => log.warn(figures, message)
    return openStore({
      ...config,
      onFatal: fail,
      onSchemaEvent: logWarning,
      isServing: true,
      onMigration: createMigrationListener(config, log),
      onAuditEntry: config.log.hasAuditEntries
        ? createAuditLog(log, config.log.hasAddresses)
        : undefined,
    })
  }

  /**
   * On the very first start, creates a demo workspace. Without a demo, returns what the operator needs to
   * become the first owner, which is printed once and never logged.
   */
  async function prepareFirstStart(): Promise<string | undefined> {
    if (!(await claimFirstStart(storage))) return undefined
    if (!config.accounts.demo) {
      return config.accounts.requiresSetupToken
        ? setupText(config.baseUrl, deriveSetupToken(secret))
        : undefined
    }
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const timezone = isTimezone(timeZone) ? timeZone : 'UTC'
    await createDemoWorkspace(storage, { plan: DEFAULT_PLAN, timezone })
    return undefined
  }

  /** A step of a migration is a transaction, which ends with the connection, as its locks do. */
  function stopOpening(signal: NodeJS.Signals): never {
    const exitStopped = beginStop(signal)
    held?.release()
    return exitStopped()
  }

  async function stop(signal: NodeJS.Signals): Promise<never> {
    const exitStopped = beginStop(signal)
    await shutDown({
      lifecycle: appContext.lifecycle,
      drainSeconds: config.drainSeconds,
      server,
      stopBackgroundWork: background.stop,
      closeResources,
    })
    return exitStopped()
  }

  /** Reports that this process stops, and returns a function that reports the end and exits. */
  function beginStop(signal: NodeJS.Signals): () => never {
    log.info({ signal }, 'Docket is stopping')
    const stoppingSince = performance.now()
    if (isFirstProcess()) console.log(`Docket is stopping (${signal})`)
    return () => {
      const ms = Math.round(performance.now() - stoppingSince)
      log.info({ ms }, 'Docket stopped')
      if (isFirstProcess()) console.log(`Docket stopped after ${(ms / 1000).toFixed(1)} s`)
      log.flushNow()
      process.exit(0)
    }
  }

  async function closeResources(): Promise<void> {
    const { files, authenticator } = appContext
    await background.close()
    await files.close()
    await app.mail?.close()
    await authenticator
      .flush()
      .catch((err) => log.error({ err }, 'Failed to save when credentials were last used'))
    await storage.close()
    held?.release()
  }
}

/** Creates a handler that prints why the server cannot start and exits. */
const createExitHandler =
  (location: ServerLocation) =>
  (reason: unknown): never => {
    console.error(reason instanceof Error ? formatStartError(reason, location) : String(reason))
    process.exit(1)
  }

/**
 * Takes the lock of the data directory, or exits if that fails, another server has it or the database
 * is damaged.
 */
function serveDataDirOrExit(location: ServerLocation): ServedDataDir {
  try {
    return exitIfDamaged(location, lockOrExit(location, serveDataDir))
  } catch (error) {
    return createExitHandler(location)(error)
  }
}

function lockOrExit<T>(location: ServerLocation, hold: (dataDir: string) => T | undefined): T {
  const { dataDir } = location
  makeDirectory(dataDir, 0o700)
  const held = hold(dataDir)
  if (held !== undefined) return held
  return createExitHandler(location)(
    `Another Docket server uses ${resolve(dataDir)}. Stop it first, or set DOCKET_DATA_DIR to another directory.`,
  )
}

function exitIfDamaged(location: ServerLocation, held: ServedDataDir): ServedDataDir {
  const damage = held.hadUncleanStop ? findDatabaseDamage(location.dataDir) : undefined
  return damage === undefined ? held : createExitHandler(location)(damageMessage(damage, location))
}
