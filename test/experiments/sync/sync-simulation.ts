import { isSameValue } from '../../../web/src/data/tasks/task-patch.ts'
import { createSeededRandom } from '../simulation/simulated-time.ts'
import { findPageDifferences } from './page-differences.ts'
import { REOPEN_MS, SimulatedBrowser } from './simulated-browser.ts'
import { NOTE_IDS, type SimulatedNote } from './simulated-notes.ts'
import { getTypedText, type SimulatedPayload } from './simulated-payload.ts'
import { SimulatedWorld } from './simulated-world.ts'

const ACTION_COUNT = 40
/** How long a deletion can be undone before it is sent. */
const TOAST_MS = 8_000
const HOUR_MS = 60 * 60 * 1000

interface Intention {
  key: string
  payload: SimulatedPayload
  browser: SimulatedBrowser
  /** The true time, in ms. */
  madeAt: number
  isDiscarded: boolean
}

/**
 * Runs the real mutation log of two to four browsers against a model of the server. A seed decides
 * what people do, and when requests, replies, pages, clocks and storage fail. Returns the faults:
 * what a person did must in the end be on the server exactly once, or be shown as unsaved with its
 * text, nobody overwrites a value that they have not seen, and once all is quiet every page shows
 * what the server has.
 */
export async function runSyncSimulation(seed: number): Promise<string[]> {
  const random = createSeededRandom(seed)
  const world = new SimulatedWorld(random)
  const browsers = Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => new SimulatedBrowser(world),
  )
  const intentions: Intention[] = []
  // In each second run, since they leave fewer of the rare conflicts of tasks to a run.
  const hasNotes = seed % 2 === 0
  let serial = 0

  function intend(
    browser: SimulatedBrowser,
    queueKey: string,
    payload: SimulatedPayload,
    key = `k${++serial}`,
  ) {
    intentions.push({ key, payload, browser, madeAt: world.now, isDiscarded: false })
    world.unasked.set(key, world.now)
    browser.page.add(key, queueKey, payload, payload.kind === 'delete')
    return key
  }

  function discard(key: string): void {
    for (const one of intentions) if (one.key === key) one.isDiscarded = true
  }

  function edit(browser: SimulatedBrowser): void {
    const id = world.pick([...browser.page.tasks.keys()])
    const from = id && browser.page.view(id)
    if (!from) return
    const key = `k${++serial}`
    const patch = world.pick([
      { title: `title ${key}` },
      { title: `title ${key}` },
      { description: `description ${key}` },
      { add_tag_ids: [`tag ${key}`] },
    ])
    world.server.seen.set(key, new Set(browser.seen))
    if (patch)
      intend(browser, id, { kind: 'change', id, change: { key, kind: 'patch', patch, from } }, key)
  }

  function editNote(browser: SimulatedBrowser): void {
    const base = browser.page.notes.view(world.pick(NOTE_IDS) ?? '', browser.page.log.entries)
    if (!base) return
    const key = `k${++serial}`
    const patch = world.pick([{ text: `text ${key}` }, { color: `color ${key}` }]) ?? {}
    markSeen(key, browser, base)
    intend(browser, base.id, { kind: 'edit', base, patch }, key)
  }

  /** Of a note the person has seen all that their browser has read, and what is shown of it. */
  function markSeen(key: string, { seen }: SimulatedBrowser, { text, color }: SimulatedNote): void {
    const shown = [text, color].map((value) => JSON.stringify(value))
    world.server.seen.set(key, new Set([...seen, ...shown]))
  }

  /** After 24 hours the server has forgotten the key, and a retry may apply the write twice. */
  function retry(browser: SimulatedBrowser, key: string): void {
    const one = intentions.find((other) => other.key === key)
    if (!one || world.now - one.madeAt > 23 * HOUR_MS) return
    world.unasked.delete(key)
    const { log } = browser.page
    // The person was told of a conflict together with the other version.
    const payload = log.entries.find((entry) => entry.key === key)?.payload
    if (payload?.kind === 'edit') markSeen(key, browser, payload.base)
    log.retry(key)
  }

  async function act(browser: SimulatedBrowser): Promise<void> {
    const { page } = browser
    if (!page.isOpen) return
    const { log } = page
    const one = world.pick(log.entries)
    const unsaved = world.pick(log.entries.filter(({ state }) => state === 'unsaved'))
    const action = random()
    if (action < 0.1) {
      const tempId = `temp${++serial}`
      intend(browser, 'new', { kind: 'create', tempId, title: `new ${tempId}` })
    } else if (action < 0.4) edit(browser)
    else if (action < 0.46)
      intend(browser, 'comments', { kind: 'comment', text: `comment ${++serial}` })
    else if (action < 0.5) {
      const text = [...world.server.comments].at(-1)
      if (!text) return
      const key = intend(browser, `delete ${++serial}`, { kind: 'delete', text })
      world.after(TOAST_MS, () => page.isOpen && log.release(key))
    } else if (action < 0.54) {
      const key = intend(browser, 'timer', { kind: 'start' })
      if (random() < 0.7) intend(browser, 'timer', { kind: 'stop', entry: `start ${key}` })
    } else if (action < 0.6) browser.isOnline = false
    else if (action < 0.7) {
      browser.isOnline = true
      log.retryFailed()
    } else if (action < 0.78) await browser.crash()
    else if (action < 0.82) browser.isFull = !browser.isFull
    else if (action < 0.85) browser.clockError = (random() - 0.5) * 12 * HOUR_MS
    else if (action < 0.9) page.refresh()
    else if (action < 0.93 && unsaved) retry(browser, unsaved.key)
    else if (action < 0.95 && unsaved) {
      discard(unsaved.key)
      void log.discard(unsaved.key)
    } else if (action < 0.97 && one && page.cancel(one.key)) {
      discard(one.key)
      browser.cancelledAt.set(one.key, world.now)
    } else for (const { key } of log.entries) log.release(key)
  }

  for (let count = 0; count < ACTION_COUNT; count++) {
    const browser = world.pick(browsers)
    if (browser) await act(browser)
    if (hasNotes && browser?.page.isOpen && random() < 0.2) editNote(browser)
    await world.pass(pickPause(random))
  }

  world.isCalm = true
  await world.pass(REOPEN_MS)
  for (const browser of browsers) {
    Object.assign(browser, { isOnline: true, isFull: false })
    if (random() < 0.5) await browser.crash()
    // After that it learns of each write (`SimulatedBrowser`).
    browser.page.refresh()
    browser.page.log.retryFailed()
    for (const { key } of browser.page.log.entries) browser.page.log.release(key)
  }
  await world.pass(10 * 60_000)
  // A discarded start may have reached the server all the same. Its stop is not expected then.
  for (const one of intentions) {
    const { payload } = one
    if (payload.kind !== 'stop') continue
    const start = intentions.find(({ key }) => `start ${key}` === payload.entry)
    if (start?.isDiscarded) one.isDiscarded = true
  }
  return [
    ...world.server.wrong,
    ...intentions.flatMap((one) => findFaults(one, world)),
    ...browsers.flatMap(({ page }) => findPageDifferences(page, world.server)),
  ]
}

/** How long nobody does anything: mostly seconds, sometimes hours, and sometimes hardly at all. */
function pickPause(random: () => number): number {
  const kind = random()
  if (kind < 0.05) return random() * 30 * HOUR_MS
  return random() * (kind < 0.3 ? 10 : 3_000)
}

/** What became of an intention that must not have. */
function findFaults(
  { key, payload, browser, isDiscarded }: Intention,
  { server }: SimulatedWorld,
): string[] {
  const executed = server.executed.get(key) ?? []
  if (executed.length > 1) return [`${key} was executed ${executed.length} times`]
  const { entries } = browser.page.log
  const shown = entries.find((one) => one.key === key)
  const isBehindUnsaved = entries.some(
    (one) =>
      one.state === 'unsaved' &&
      (one.queueKey === shown?.queueKey || one.payload.kind === 'create'),
  )
  if (shown && shown.state !== 'unsaved' && !isBehindUnsaved)
    return [`${key} is ${shown.state} for ever`]
  const chosen = browser.storedTexts.get(key)
  const [request] = executed
  if (chosen !== undefined) {
    const kept =
      request?.op === 'change' ? request.change.patch.title : shown && getTypedText(shown.payload)
    if (kept !== undefined && kept !== chosen) return [`${key} has ${kept} for ${chosen}`]
  }
  if (
    request?.op === 'stop' &&
    payload.kind === 'stop' &&
    `start ${request.entry}` !== payload.entry
  )
    return [`${key} stops ${request.entry}`]
  if (executed.length > 0 || isDiscarded || browser.unstored.has(key) || browser.dropped.has(key))
    return []
  if (shown) {
    const isTextKept = !shown.refusal || shown.refusal.text === getTypedText(shown.payload)
    return isTextKept && isSameValue(shown.payload.kind, payload.kind)
      ? []
      : [`${key} lost its text`]
  }
  // Without text, and with its reason shown, nothing is lost; nor if there is nothing to do.
  if (browser.shownRefusals.has(key) && getTypedText(payload) === undefined) return []
  if (payload.kind === 'delete' && !server.comments.has(payload.text)) return []
  if (payload.kind === 'stop' && !server.timers.has(payload.entry.slice('start '.length))) return []
  return [`${key} (${payload.kind}) is lost`]
}

/** Runs one seed after the other; the faults by seed. */
export async function runSyncSimulations(
  from: number,
  to: number,
): Promise<Record<number, string[]>> {
  const wrong: Record<number, string[]> = {}
  for (let seed = from; seed <= to; seed++) {
    const faults = await runSyncSimulation(seed)
    if (faults.length > 0) wrong[seed] = faults
  }
  return wrong
}

if (process.argv.includes('--runs')) {
  const runs = Number(process.argv[process.argv.indexOf('--runs') + 1])
  const wrong = await runSyncSimulations(1, runs)
  const isWrong = Object.keys(wrong).length > 0
  // A test that starts this process shows what it writes here.
  if (isWrong) console.error(wrong)
  console.log(`${runs} runs${isWrong ? '' : ', no faults'}`)
  process.exitCode = isWrong ? 1 : 0
}
