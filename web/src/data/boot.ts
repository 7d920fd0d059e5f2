import { replaceEqualDeep } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Boot } from '#resources/boot/contract.ts'
import type { Member } from '#resources/members/contract.ts'
import type { Project } from '#resources/projects/contract.ts'
import { refusalOf } from '../lib/call.ts'
import { setDraftsOf } from '../lib/drafts.ts'
import { keepFor, keepReplies } from '../lib/kept-replies.ts'
import { isSpoken } from '../lib/language.ts'
import { reach } from '../lib/reach.ts'
import { orKept } from '../lib/read.ts'
import { signal, useSignal } from '../lib/signal.ts'
import { setViewer } from '../lib/viewer.ts'
import { isHere, isSettled, sessionBack, tellSession } from './elsewhere.ts'
import { knowProjects } from './task-store.ts'

export type { Boot }

const BOOT = '/internal/boot'

/** Undefined until it came. */
export const boot = signal<Boot | undefined>(undefined)

knowProjects((id) => boot.get()?.projects.find((project) => project.id === id))

/**
 * Asks for it; the page's head asked before, so this is mostly there already. Where the session has become another
 * person's, or another workspace's, the page keeps what it has (see `elsewhere`) and this gives that.
 */
export async function loadBoot(): Promise<Boot> {
  askedAt = Date.now()
  const response = await orKept(reach(BOOT, { credentials: 'same-origin' }), BOOT)
  const isKept = !(response instanceof Response)
  if (!isKept && !response.ok) throw await refusalOf(response)
  const text = isKept ? response.text : await response.text()
  const loaded = JSON.parse(text) as Boot
  const before = boot.get()
  if (!isHere(loaded.session) && before) return before
  const { id, timezone, locale } = loaded.session.user
  // Nothing is drawn yet; later a page stays as it is until it is loaded anew.
  if (!isSpoken(locale) && !before) return loadAnew()
  setViewer({ zone: timezone, locale: spokenHere(locale) })
  setDraftsOf(id)
  if (!isKept) {
    keepFor(id, loaded.session.workspace.id)
    keepReplies([[BOOT, text]])
  }
  if (!before) tellSession(loaded.session)
  // What is equal stays the same object: only what shows a difference is drawn again.
  const now = before ? replaceEqualDeep(before, { ...loaded, notice: before.notice }) : loaded
  boot.set(now)
  return now
}

const SOON_MS = 2_000
const APART_MS = 10_000
let askedAt = 0
let asking: ReturnType<typeof setTimeout> | undefined
/** When it will be asked again: what concerns the person does not wait for what only counts. */
let due = 0

/** Asks again a while after something it counts has changed: however much changes, six times a minute at most. */
export function loadBootSoon(ms = Math.max(SOON_MS, askedAt + APART_MS - Date.now())): void {
  if (!isSettled()) return
  const at = Date.now() + ms
  if (asking !== undefined && due <= at) return
  clearTimeout(asking)
  due = at
  asking = setTimeout(async () => {
    await sessionBack()
    asking = undefined
    // It is asked for again with the next change; the connection tells of trouble.
    await loadBoot().catch(() => undefined)
  }, ms)
}

/** The page begins once more; who waits for this one waits for ever. */
function loadAnew(): Promise<never> {
  location.reload()
  return new Promise(() => undefined)
}

/** A language of the profile in the browser's own kind of it: English as one writes dates here. */
const spokenHere = (locale: string): string =>
  navigator.language.startsWith(`${locale}-`) ? navigator.language : locale

/** Changes what is known of one project, member, or of the session, without asking again. */
export const changeBoot = (change: (now: Boot) => Boot): void => {
  const now = boot.get()
  if (now) boot.set(change(now))
}

/** Within a workspace it is always there. */
export const BootContext = createContext<Boot | undefined>(undefined)

/** What the page knows of its person and workspace; only for what is shown once that is known. */
export function useBoot(): Boot {
  const found = useContext(BootContext)
  if (!found) throw new Error('A screen of a workspace is shown outside of one')
  return found
}

/** The same for what is shown before, too. */
export const useBootSignal = (): Boot | undefined => useSignal(boot)

/** A project that the person sees. */
export const useProject = (id: string | undefined): Project | undefined =>
  useBoot().projects.find((project) => project.id === id)

/** The project that has a prefix now. */
export const projectByPrefix = ({ projects }: Boot, prefix: string): Project | undefined =>
  projects.find((project) => project.prefix === prefix.toUpperCase())

/** A person of the workspace, where it is known. */
export const useMember = (id: string | null | undefined): Member | undefined =>
  useBoot().members.find((member) => member.id === id)

/** The name of a member, former ones too. */
export function nameOf({ members, former }: Boot, user_id: string): string {
  const found = members.find(({ id }) => id === user_id) ?? former.find(({ id }) => id === user_id)
  return found?.name ?? '?'
}

/** Whether the person manages the workspace (contract 4.3). */
export const manages = ({ session }: Boot): boolean =>
  session.user.role === 'owner' || session.user.role === 'admin'
