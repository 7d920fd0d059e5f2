import { replaceEqualDeep } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Boot } from '#resources/web-app/boot/contract.ts'
import type { Right } from '#wire/rights.ts'
import { delay } from '../../lib/browser/delay.ts'
import { fetchOrThrow, readTextOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { orCached } from '../../lib/http/fetch-with-cache.ts'
import { ApiResponseError, isRetryable } from '../../lib/http/problem.ts'
import {
  cacheReplies,
  clearReplyCache,
  forgetReplyCacheOwner,
  readCached,
  setReplyCacheOwner,
} from '../../lib/http/reply-cache.ts'
import { readErrorResponse } from '../../lib/http/request-endpoint.ts'
import { sessionPause, waitForRenewals } from '../../lib/http/request-pause.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { saveProfileLanguage } from '../../lib/locale/language.ts'
import { setViewer } from '../../lib/locale/viewer.ts'
import { atom, createPartsSnapshot } from '../../lib/state/atom.ts'
import { setDraftOwner } from '../../lib/state/drafts.ts'
import { setProjectLookup } from '../tasks/task-store.ts'
import {
  broadcastSession,
  hasCurrentSession,
  matchCurrentSession,
  recordUnknownSession,
  sessionMismatch,
  waitForSessionMatch,
} from './current-session.ts'
import { hasRight, setRoleRights } from './rights.ts'

export type { Boot }

/** The number of the last request for boot data. */
let lastRequest = 0
/** The number of the request whose reply is shown. */
export const shownRequest = atom(0)

/** The person, the session and the workspace of this page. Undefined until they are loaded. */
export const bootState = atom<Boot | undefined>(undefined)

setProjectLookup({
  byId: (id) => bootState.get()?.projects.find((project) => project.id === id),
  byPrefix(prefix) {
    const boot = bootState.get()
    return boot && findProjectByPrefix(boot, prefix)
  },
})

/** Whether the boot data is that of an earlier page, because the server has not answered yet. */
let isBootCached = false
let hasOpenedFromCache = false
let bootExact: Promise<unknown> = Promise.resolve()

/** Whether the boot data is of this page, and not of an earlier one. */
export const isBootExact = (): boolean => !isBootCached

/** Resolves once the page has boot data of its own, or cannot be expected to get it soon. */
export const whenBootExact = (): Promise<unknown> => bootExact

/**
 * Loads the boot data; a preload in the head of the page mostly has it by now. If the browser's
 * session has changed to another person or workspace, the page keeps its data and this returns it.
 */
export async function loadBoot(): Promise<Boot> {
  await waitForRenewals()
  requestedAt = performance.now()
  lastRequest += 1
  const request = lastRequest
  const loading = fetchOrThrow(BOOT_URL, { credentials: 'same-origin' })
  const response = await orCached(loading, readCachedBoot)
  if (response instanceof Response) return showReply(response, request)
  const before = bootState.get()
  // A cached reply is older than what the page shows, and would revert local changes of it.
  if (before) return before
  isBootCached = true
  hasOpenedFromCache = true
  bootExact = Promise.race([replaceCopy(response, loading, request), delay(EXACT_TIMEOUT_MS)])
  return showBoot(response)
}

/**
 * Whether the page has opened from the cache and has boot data of its own since. True once: then all
 * else that it has from the cache is read again.
 */
export function endOpeningFromCache(): boolean {
  const hasEnded = hasOpenedFromCache && !isBootCached
  if (hasEnded) hasOpenedFromCache = false
  return hasEnded
}

/** Without an answer for so long, the page goes on with what it has. */
const EXACT_TIMEOUT_MS = 4_000

/** Replaces the boot data of an earlier page by the answer that comes late. */
async function replaceCopy(copy: Boot, loading: Promise<Response>, request: number): Promise<void> {
  try {
    const shown = await showReply(await loading, request)
    if (isSameWorkspace(copy, shown) && !sessionMismatch.get()) return
  } catch (error) {
    // Without a whole answer the page shows its age, and reads everything again once one comes.
    if (!(error instanceof ApiResponseError) || isRetryable(error)) return
  }
  // The session has ended, or belongs to another workspace: the page must open as if it knew nothing.
  await reopenWithoutCache()
}

async function showReply(response: Response, request: number): Promise<Boot> {
  if (!response.ok) {
    const isStart = !bootState.get() || isBootCached
    // A page that is open asks for a new sign-in, and keeps what it shows.
    if (response.status === 401 && isStart) clearReplyCache()
    throw await readErrorResponse(response)
  }
  const text = await readTextOrThrow(response)
  const loaded = JSON.parse(text) as Boot
  const before = bootState.get()
  // A reply that a later one has overtaken would revert local changes.
  if (before && request < shownRequest.get()) return before
  if (!matchCurrentSession(loaded.session) && before) return before
  const { user, workspace } = loaded.session
  setReplyCacheOwner(user.id, workspace.id)
  cacheReplies([[BOOT_URL, text]])
  if (!before || isBootCached) broadcastSession(loaded.session)
  // Equal parts stay the same objects, so that only components with a difference render again.
  const isBeforePins = pinWrites > 0 || request <= pinsKeptThrough
  const now = before
    ? replaceEqualDeep(before, {
        ...loaded,
        ...(isBeforePins && { views: before.views }),
      })
    : loaded
  isBootCached = false
  const shown = showBoot(now)
  shownRequest.set(request)
  return shown
}

async function showBoot(now: Boot): Promise<Boot> {
  const { id, timezone, locale } = now.session.user
  // Only before the first render: later the page keeps its language until it is reloaded.
  if (!saveProfileLanguage(locale) && !bootState.get()) return reloadPage()
  setViewer({ zone: timezone, locale: toRegionalLocale(locale) })
  setDraftOwner(id)
  setRoleRights(now.roles)
  bootState.set(now)
  return now
}

const isSameWorkspace = (one: Boot, other: Boot): boolean =>
  one.session.workspace.id === other.session.workspace.id

let pinWrites = 0
/** Replies to requests up to this one may not contain the last pins of this page. */
let pinsKeptThrough = 0

/** Keeps the pinned views of the page until the returned function is called: the server has them. */
export function keepPinnedViews(): () => void {
  pinWrites += 1
  return () => {
    pinWrites -= 1
    pinsKeptThrough = lastRequest
  }
}

const RECHECK_DELAY_MS = 2_000

sessionPause.subscribe(() => {
  if (sessionPause.get() && !sessionMismatch.get()) void identifySession()
})

/** Finds out whose session the browser has, after the server has refused a request in it. */
async function identifySession(): Promise<void> {
  const wait = () => delay(RECHECK_DELAY_MS * (1 + Math.random()))
  try {
    await loadBoot()
  } catch (error) {
    if (isRetryable(error)) await wait()
    else if (!hasSessionEnded.get()) recordUnknownSession()
  }
  // If the server could not be asked, the next refusal asks again.
  if (!sessionMismatch.get()) {
    sessionPause.set(false)
    return
  }
  // Another server process may have answered from its cache of sessions, which holds 200 ms.
  await wait()
  await loadBoot().catch(() => undefined)
}

const RELOAD_DELAY_MS = 2_000
const MIN_RELOAD_INTERVAL_MS = 10_000
const RETRY_DELAY_MS = 30_000
/** When the last request began and when the next one is due, on the clock of `performance.now()`. */
let requestedAt = Number.NEGATIVE_INFINITY
let reloadDueAt = 0
let reloadTimer: ReturnType<typeof setTimeout> | undefined

/** Reloads a while after counts have changed: at most six times a minute, however many changes. */
export function scheduleBootReload(
  ms = Math.max(RELOAD_DELAY_MS, requestedAt + MIN_RELOAD_INTERVAL_MS - performance.now()),
): void {
  if (!hasCurrentSession()) return
  const at = performance.now() + ms
  // An urgent reload replaces one that is scheduled later.
  if (reloadTimer !== undefined && reloadDueAt <= at) return
  clearTimeout(reloadTimer)
  reloadDueAt = at
  reloadTimer = setTimeout(async () => {
    await waitForSessionMatch()
    reloadTimer = undefined
    // No other change may follow. A new sign-in reads everything again.
    await loadBoot().catch(() => {
      if (!hasSessionEnded.get()) scheduleBootReload(RETRY_DELAY_MS)
    })
  }, ms)
}

/** The regional form of the profile's language that the browser prefers, such as en-GB for en. */
export const toRegionalLocale = (locale: string): string =>
  navigator.language.startsWith(`${locale}-`) ? navigator.language : locale

/** Changes the loaded data, e.g. one project or member, without a request. */
export const updateBoot = (change: (now: Boot) => Boot): void => {
  const now = bootState.get()
  if (now) bootState.set(change(now))
}

/**
 * Parts of the boot data, for components that render only once it is loaded. A component renders
 * again only when one of its parts has changed: numbers of tasks change all the time.
 */
export function useBoot<K extends keyof Boot>(...names: readonly [K, ...K[]]): Pick<Boot, K> {
  const parts = names.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each render passes another array
  const read = useMemo(() => createPartsSnapshot(bootState, names), [parts])
  const boot = useSyncExternalStore(bootState.subscribe, read)
  if (!boot) throw new Error('No workspace around this')
  return boot
}

/** Whether the boot data is loaded, so that components may read it. */
export const useHasBoot = (): boolean => useBootValue((boot) => boot !== undefined)

/** A value that is the same as long as nothing has changed that it is read from. */
const useBootValue = <T>(read: (boot: Boot | undefined) => T): T =>
  useSyncExternalStore(bootState.subscribe, () => read(bootState.get()))

/** The id of the person who uses the page. */
export const useViewerId = (): string => useBoot('session').session.user.id

/** Whether the person who uses the page has a right. */
export const useRight = (right: Right): boolean => hasRight(useBoot('session').session.user, right)

/** A project by id, if the person can see it. */
export const useProject = (id: string | undefined): Project | undefined =>
  useBootValue((boot) => boot?.projects.find((project) => project.id === id))

/** The project whose current prefix is this one, in either case. */
export const findProjectByPrefix = <P extends { prefix: string }>(
  { projects }: { projects: readonly P[] },
  prefix: string,
): P | undefined => projects.find((project) => project.prefix === prefix.toUpperCase())

/** The current and the former members, of whom names are told. */
export interface NamedPeople {
  members: readonly Pick<Member, 'id' | 'name'>[]
  former: Boot['former']
}

/** The name of a member, also of a former one. */
export function getMemberName({ members, former }: NamedPeople, user_id: string): string {
  const found = members.find(({ id }) => id === user_id) ?? former.find(({ id }) => id === user_id)
  return found?.name ?? '?'
}

/** A function that returns the name of a member, also of a former one. */
export function useMemberNames(): (user_id: string) => string {
  const people = useBoot('members', 'former')
  return (user_id) => getMemberName(people, user_id)
}

/** Returns people by their ids with what their avatars show. */
export const getPeople = (
  boot: NamedPeople & { session: { user: { id: string } } },
  user_ids: readonly string[],
): { id: string; name: string; me: boolean }[] =>
  user_ids.map((id) => ({
    id,
    name: getMemberName(boot, id),
    me: id === boot.session.user.id,
  }))

/** Where the boot data is; its cached reply has the same name. */
const BOOT_URL = '/internal/boot'
const WORKSPACE_PATH = /^\/w\/([^/]+)/

/**
 * The boot data of an earlier page of this browser; undefined if there is none, or the page is to show
 * another workspace.
 */
async function readCachedBoot(): Promise<Boot | undefined> {
  const cached = await readCached(BOOT_URL)
  const boot: Boot | undefined = cached && JSON.parse(cached.text)
  const [, workspace_id] = WORKSPACE_PATH.exec(location.pathname) ?? []
  return [undefined, boot?.session.workspace.id].includes(workspace_id) ? boot : undefined
}

/** A cached workspace may have led to another address. */
const openedAddress = globalThis.location?.href

/** Opens the page again as if the browser had nothing of it. */
function reopenWithoutCache(): Promise<never> {
  forgetReplyCacheOwner()
  history.replaceState(null, '', openedAddress)
  return reloadPage()
}

/** Reloads the page. The promise never settles, so that callers do not go on meanwhile. */
function reloadPage(): Promise<never> {
  location.reload()
  return new Promise(() => undefined)
}
