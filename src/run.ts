import { exporting } from '#archive/background.ts'
import { UNTRACED } from '#core/traces.ts'
import { homeOf } from '#delivery/home.ts'
import { isFirstStart } from '#demo/first-start.ts'
import { makeDemo } from '#demo/make.ts'
import { welcomeText } from '#demo/welcome.ts'
import { VERSION } from '#http/figures.ts'
import type { Log } from '#http/log.ts'
import { importing } from '#importing/chores.ts'
import { isTimezone } from '#lib/days.ts'
import { type Opened, openStore } from '#storage/open.ts'
import type { OpenTraces } from '#traces/open.ts'
import { startChores } from '#upkeep/chores.ts'
import { writeRequests } from '#upkeep/requests.ts'
import { app } from './app.ts'
import { exiting, holdOrExit } from './beginning.ts'
import type { Config } from './config.ts'
import { startDelivering } from './delivering.ts'
import type { Part } from './part.ts'
import { figuresOfAll, isOneOfSeveral, sayReady, speaks } from './processes.ts'
import { stop } from './stop.ts'

/** Runs one process of Docket until it is told to stop; a start that cannot be ends it with a sentence. */
export async function run(
  part: Part,
  config: Config,
  log: Log,
  fail: (error: unknown) => never,
): Promise<void> {
  const exit = exiting(config)
  const held = config.databaseUrl ? undefined : holdOrExit(config)
  const { storage: opened, secret } = await open().catch(exit)
  const traces = await tracesOf(config, log)
  const storage = traces ? traces.traced(opened) : opened
  const wired = await app(storage, config, secret, log, part, { traces })
  const { server, house, usage, mail } = wired
  traces?.register(house.registry)
  if (isOneOfSeveral()) house.figures = figuresOfAll(house.registry)
  house.starting = true
  // A new database is at home here before anybody can put a webhook into it.
  await homeOf(storage, config.dataDir).whyNot().catch(exit)
  const welcome = await demo().catch(exit)
  const address = await server.listen({ host: config.host, port: config.port }).catch(exit)
  const delivering = part.works
    ? await startDelivering(storage, config, secret, house).catch(exit)
    : undefined
  const { authenticator, files } = house
  const keepCounts = writeRequests(storage, usage)
  const others = [...importing({ storage, files }), ...exporting({ storage, files, log })]
  const means = { storage, files, mail, config, log, authenticator, keepCounts, part, others }
  const chores = startChores({ ...means, traces: traces ?? UNTRACED })
  house.starting = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
  const does = part.serves ? 'serves' : 'works'
  log.info({ address, engine: storage.engine }, `Docket ${does}`)
  if (speaks()) console.log(`Docket ${does} at ${address}`)
  if (welcome !== undefined) console.log(welcome)
  sayReady()

  async function open(): Promise<Opened> {
    const told = (what: string, figures: object) => log.warn(figures, what)
    return openStore({ ...config, onFatal: fail, told, isServing: true })
  }

  /** On the very first start there is something to look at, and somebody to sign in as. */
  async function demo(): Promise<string | undefined> {
    if (!(await isFirstStart(storage)) || !config.demo) return undefined
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const timezone = isTimezone(timeZone) ? timeZone : 'UTC'
    const made = await makeDemo(storage, { plan: config.defaultPlan, timezone })
    return welcomeText(config.baseUrl, made)
  }

  async function onSignal(signal: NodeJS.Signals): Promise<void> {
    if (house.drain.draining) {
      // A terminal tells all processes, and the one that keeps them running tells them once more.
      if (isOneOfSeveral()) return
      process.exit(1)
    }
    log.info({ signal }, 'Docket stops')
    await stop({ drain: house.drain, drainSeconds: config.drainSeconds, server, beside, end })
    log.info('Docket has stopped')
    log.flushNow()
    process.exit(0)
  }

  async function beside(): Promise<void> {
    await Promise.all([delivering?.stop(), chores.stop()])
  }

  async function end(): Promise<void> {
    await files.close()
    await Promise.all([mail?.close(), traces?.close()])
    await authenticator.flush().catch((err) => log.error({ err }, 'Last uses are not written'))
    await writeCounts().catch((err) => log.error({ err }, 'Counts are not written'))
    await storage.close()
    held?.release()
  }

  async function writeCounts(): Promise<void> {
    while (await keepCounts());
  }
}

/** What takes traces is loaded only where they are wanted. */
async function tracesOf({ traces }: Config, log: Log): Promise<OpenTraces | undefined> {
  if (!traces) return undefined
  const { openTraces } = await import('#traces/open.ts')
  return openTraces(traces, VERSION, log)
}
