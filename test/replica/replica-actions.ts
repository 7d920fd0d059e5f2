import type { ModelBrowser } from './model-browser.ts'
import { ADMIN, type ModelFields, OPEN_PROJECT, PRIVATE_PROJECT } from './model-server.ts'

const PROJECTS = [OPEN_PROJECT, OPEN_PROJECT, PRIVATE_PROJECT] as const
const STATUSES = ['todo', 'doing', 'done'] as const
/** Few, so that rows of equal titles have to be ordered. */
const TITLES = ['a', 'b', 'c', 'd', 'e'] as const

/** What may happen next, and how often in relation to the others. */
const ACTIONS: readonly [weight: number, act: (browser: ModelBrowser) => void][] = [
  [30, changeAsPerson],
  [20, changeAsSomebodyElse],
  [5, ({ page, pick }) => page.search(pick(STATUSES))],
  [3, readSome],
  [2, ({ page, pick }) => page.replica.retry(pick(page.scopes).name)],
  [4, ({ page }) => page.breakStream()],
  [4, (browser) => browser.goOnline(!browser.isOnline)],
  [4, takeOverStream],
  [3, ({ page }) => page.interact(!page.isInteracting)],
  [4, (browser) => browser.openPage(browser.page.session)],
  [2, (browser) => browser.openPage(browser.pick(browser.sessions))],
  [1.5, ({ page, pick, sessions }) => page.changeSession(pick(sessions))],
  [2, ({ page }) => page.session.server.expirePositions()],
  [3, ({ page: { session } }) => session.server.changeRights(session.person)],
  [0.7, restoreBackup],
  [6, ({ page }) => page.storeCopies()],
  [6, leaveOrHold],
]
const TOTAL_WEIGHT = ACTIONS.reduce((sum, [weight]) => sum + weight, 0)

/** Lets the person of the page, somebody else, the browser or the server do something. */
export function actByChance(browser: ModelBrowser): void {
  let left = browser.random() * TOTAL_WEIGHT
  const action = ACTIONS.find(([weight]) => {
    left -= weight
    return left < 0
  })
  action?.[1](browser)
}

function changeAsPerson(browser: ModelBrowser): void {
  const { page, pick, pickId, random } = browser
  const id = pickId(page.replica.records())
  const kind = random()
  if (kind < 0.2)
    void page.write(undefined, { project_id: pick(PROJECTS), ...chooseFields(browser) })
  else if (id !== undefined) void page.write(id, kind < 0.35 ? undefined : chooseFields(browser))
}

export function changeAsSomebodyElse(browser: ModelBrowser): void {
  const { page, pick, pickId, random } = browser
  const { server } = page.session
  const id = pickId(server.records.values())
  const kind = random()
  if (kind < 0.15) server.write(ADMIN, undefined, { project_id: pick(PROJECTS) })
  else if (kind < 0.3) server.restoreTask()
  else if (id === undefined) return
  else if (kind < 0.4) server.write(ADMIN, id, undefined)
  else if (kind < 0.6) server.comment(id)
  else server.write(ADMIN, id, chooseFields(browser))
}

function chooseFields({ page, pick, random, chance }: ModelBrowser): ModelFields {
  const kind = random()
  if (kind < 0.3) return { title: pick(TITLES) }
  if (kind < 0.6) return { status: pick(STATUSES) }
  if (kind < 0.75) return { owner: chance(0.7) ? page.session.person : null }
  return kind < 0.9 ? { note: `note ${random()}` } : { project_id: pick(PROJECTS) }
}

/** Reads single tasks, as a page does that links to them; it may hold no scope of them. */
function readSome({ page, chance }: ModelBrowser): void {
  const ids = [...page.session.server.records.keys()].filter(() => chance(0.5))
  void page.replica.read(ids)
}

/** Another tab has the stream, from its own position, and shares it with this one. */
function takeOverStream({ page, pick }: ModelBrowser): void {
  const { position } = page.replica
  const earlier = position && { ...position, n: Math.max(0, position.n - 3) }
  page.connect(pick([position, undefined, earlier]))
}

function restoreBackup({ page }: ModelBrowser): void {
  page.session.server.restoreBackup()
  page.breakStream()
}

function leaveOrHold({ page, pick, chance }: ModelBrowser): void {
  const scope = pick(page.scopes)
  if (chance(0.5)) page.replica.release(scope.name)
  else page.hold(scope)
}
