import { type FieldValues, getTargetId, type Mutation } from '../../../web/src/replica/mutations.ts'
import type { PendingMutation } from '../../../web/src/replica/pending-mutation-log.ts'
import type { BrowserTab } from './model-browser.ts'
import { OPEN_PROJECT, PRIVATE_PROJECT, REFUSED_TITLE } from './model-server.ts'
import { readFieldValues } from './replica-judge.ts'
import type { ReplicaWorld } from './replica-world.ts'

const STATUSES = ['todo', 'doing', 'done']
const REFUSED_SHARE = 0.1

/** What may happen next, and how often in relation to the others. */
const ACTIONS: readonly [weight: number, act: (world: ReplicaWorld, tab: BrowserTab) => void][] = [
  [26, (world, tab) => edit(world, tab, { title: nameTask(world) })],
  [16, (world, tab) => edit(world, tab, { status: world.pick(STATUSES) })],
  [9, (world, tab) => edit(world, tab, { owner: world.pick([tab.person, null]) })],
  [3, (world, tab) => edit(world, tab, { project_id: pickProject(world) })],
  [3, (world, tab) => edit(world, tab, { parent_id: pickId(world, tab) ?? null })],
  [8, create],
  [5, remove],
  [3, ({ server, pick }) => server.restore(pick([...server.deleted.keys()]) ?? '')],
  [4, ({ server, pick }) => server.derive(pick([...server.records.keys()]) ?? '')],
  [3, ({ server, pick }) => server.annotate(pick([...server.records.keys()]) ?? '')],
  [5, (world, tab) => tab.search(world.pick(STATUSES))],
  [2, ({ pick }, { page, scopes }) => page?.replica.retry(pick(scopes)?.name ?? '')],
  [4, cancel],
  [4, (_world, { browser }) => browser.breakStreams()],
  [4, (_world, { browser }) => browser.goOnline(!browser.isOnline)],
  [4, reload],
  [3, openOrCloseTab],
  [2, (_world, tab) => tab.browser.lookAt(tab)],
  [3, (_world, tab) => interact(tab, !tab.isInteracting)],
  [2, ({ server }) => Object.assign(server, { oldestPosition: Math.max(0, server.n - 3) })],
  [2, ({ server }, tab) => server.changeRights(tab.person)],
  [0.7, restoreBackup],
  [1.5, switchPerson],
  [5, storeScopes],
  [5, leaveAndReturn],
]
const TOTAL_WEIGHT = ACTIONS.reduce((sum, [weight]) => sum + weight, 0)

/** Lets somebody do something. */
export function actAsSomebody(world: ReplicaWorld): void {
  const browser = world.pick(world.browsers)
  const tab = browser && world.pick(browser.tabs)
  if (!tab) return
  let left = world.random() * TOTAL_WEIGHT
  const action = ACTIONS.find(([weight]) => {
    left -= weight
    return left < 0
  })
  action?.[1](world, tab)
  for (const { tabs } of world.browsers) for (const one of tabs) answerQuestions(world, one, 0.3)
}

/** Decides about what waits for the person. */
export function answerQuestions(world: ReplicaWorld, tab: BrowserTab, share: number): void {
  const { page } = tab
  if (!page) return
  for (const { mutation, mode, refusal } of page.log.entries) {
    if (world.random() >= share) continue
    if (mode === 'asking') {
      if (world.random() < 0.5 && mutation.kind === 'update') {
        const seen = readFieldValues(page.replica.get(mutation.id), mutation.patch)
        remember(world, mutation, seen)
        page.log.keep(mutation.key, seen)
      } else discard(world, tab, mutation)
    } else if (mode === 'unsaved') {
      if (refusal === undefined || world.random() < 0.3) page.log.retry(mutation.key)
      else discard(world, tab, mutation)
    }
  }
}

export function interact(tab: BrowserTab, isInteracting: boolean): void {
  tab.isInteracting = isInteracting
  if (isInteracting) return
  tab.list?.update()
  // The list is judged, too.
  tab.changedIds.add('')
}

function edit(world: ReplicaWorld, tab: BrowserTab, patch: FieldValues): void {
  const id = pickId(world, tab)
  const { page } = tab
  if (!page || id === undefined) return
  const record = page.getRecord(page.log.getCreatedId(id))
  if (!record || record.id === patch.parent_id) return
  const before = readFieldValues(record, patch)
  add(world, tab, { kind: 'update', key: world.nextKey(), id, patch, before })
  if (world.defects.writesIntoRecords)
    Object.assign(tab.page?.getRecord(record.id) ?? {}, { status: '?' })
}

function create(world: ReplicaWorld, tab: BrowserTab): void {
  const key = world.nextKey()
  const parent_id = world.random() < 0.3 ? (pickId(world, tab) ?? null) : null
  const record = {
    id: `new_${key.slice(-8)}`,
    version: 0,
    project_id: pickProject(world),
    title: nameTask(world),
    status: 'todo',
    owner: world.pick([tab.person, null]),
    parent_id,
  }
  add(world, tab, { kind: 'create', key, record })
}

function remove(world: ReplicaWorld, tab: BrowserTab): void {
  const id = pickId(world, tab)
  if (id !== undefined) add(world, tab, { kind: 'delete', key: world.nextKey(), id })
}

/** Adds what a person has done, and notes which refused entries it replaces. */
function add(world: ReplicaWorld, tab: BrowserTab, mutation: Mutation): void {
  const { page } = tab
  if (!page) return
  world.intentions.set(mutation.key, {
    mutation,
    tab,
    seen: new Map(),
    applied: [],
    isOver: false,
    isCancelled: false,
    wasRefused: false,
    sentIn: new Set(),
    isOnOldRecord: tab.scopes.some(
      ({ name }) => page.replica.getScopeState(name)?.mode === 'loading',
    ),
  })
  if (mutation.kind === 'update') remember(world, mutation, mutation.before)
  const isReplaceable = ({ mutation: other, refusal }: PendingMutation) =>
    refusal !== undefined &&
    other.kind === 'update' &&
    mutation.kind === 'update' &&
    other.id === mutation.id &&
    Object.keys(other.patch).every((field) => field in mutation.patch)
  const replaceable = page.log.entries.filter(isReplaceable).map((one) => one.mutation.key)
  page.log.add(mutation)
  for (const key of replaceable)
    if (!page.log.entries.some((one) => one.mutation.key === key)) world.endIntention(key)
}

function remember(world: ReplicaWorld, { key }: Mutation, values: FieldValues): void {
  const { seen } = world.getIntention(key)
  for (const [field, value] of Object.entries(values))
    seen.set(field, [...(seen.get(field) ?? []), value])
}

function cancel(world: ReplicaWorld, tab: BrowserTab): void {
  const entry = world.pick(tab.page?.log.entries ?? [])
  if (!entry) return
  const { mutation } = entry
  abandon(world, tab, mutation, () => {
    if (tab.page?.log.cancel(mutation.key)) world.getIntention(mutation.key).isCancelled = true
  })
}

function discard(world: ReplicaWorld, tab: BrowserTab, mutation: Mutation): void {
  abandon(world, tab, mutation, () => tab.page?.log.discard(mutation.key))
}

/** What is done to a record that is never created ends with it. */
function abandon(
  world: ReplicaWorld,
  { page }: BrowserTab,
  mutation: Mutation,
  run: () => void,
): void {
  const related = (page?.log.entries ?? []).filter(
    (other) =>
      other.mutation.key === mutation.key ||
      (mutation.kind === 'create' && getTargetId(other.mutation) === mutation.record.id),
  )
  run()
  for (const { mutation: other } of related)
    if (!page?.log.entries.some((one) => one.mutation.key === other.key))
      world.endIntention(other.key)
}

function reload(world: ReplicaWorld, tab: BrowserTab): void {
  tab.browser.closeTab(tab, world.random() < 0.5)
  tab.browser.openTab()
}

function openOrCloseTab(world: ReplicaWorld, { browser }: BrowserTab): void {
  const [, second] = browser.tabs
  if (second) browser.closeTab(second, world.random() < 0.5)
  else browser.openTab()
}

function switchPerson(world: ReplicaWorld, { browser }: BrowserTab): void {
  for (const one of browser.tabs) browser.closeTab(one, false)
  browser.person = 1 + Math.floor(world.random() * world.browsers.length)
  browser.openTab()
}

function restoreBackup(world: ReplicaWorld): void {
  world.server.restoreBackup()
  for (const browser of world.browsers) browser.breakStreams()
}

/** Leaves a project, and returns to it at once. */
function leaveAndReturn(world: ReplicaWorld, { page, scopes }: BrowserTab): void {
  const scope = world.pick(scopes)
  if (!page || !scope) return
  page.replica.release(scope.name)
  void page.hold(scope)
}

/** Reads tasks of a project that no page holds; then they change, perhaps while no stream says so. */
export async function changeUnheldRecords(world: ReplicaWorld): Promise<void> {
  const { server, browsers, random } = world
  const ids = [...server.records.keys()]
  for (const { page } of browsers.flatMap(({ tabs }) => tabs)) {
    page?.replica.release(PRIVATE_PROJECT)
    void page?.replica.read(ids)
  }
  await world.pass(30_000)
  if (random() < 0.5) for (const browser of browsers) browser.breakStreams()
  for (const id of ids) if (random() < 0.5) server.derive(id)
  if (random() < 0.5) server.changeRights(1)
  if (random() < 0.5) Object.assign(server, { oldestPosition: server.n })
}

function storeScopes({ random }: ReplicaWorld, { page, scopes }: BrowserTab): void {
  for (const { name } of scopes) if (random() < 0.6) void page?.storeScope(name)
}

function pickId(world: ReplicaWorld, tab: BrowserTab): string | undefined {
  const { page, openedId } = tab
  const isOpen = openedId !== undefined && page?.getRecord(page.log.getCreatedId(openedId))
  if (!isOpen || world.random() < 0.7) tab.openedId = world.pick(page?.getRecords() ?? [])?.id
  return tab.openedId
}

const pickProject = (world: ReplicaWorld): string =>
  world.random() < 0.7 ? OPEN_PROJECT : PRIVATE_PROJECT

const nameTask = (world: ReplicaWorld): string =>
  `${world.random() < REFUSED_SHARE ? REFUSED_TITLE : 'title'} ${world.nextSerial()}`
