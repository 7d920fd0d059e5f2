import type { Notification } from '#resources/notifications/internal.ts'
import type { MutationOfKind } from '../../web/src/data/mutations/stored-mutation.ts'
import type { Comment } from '../../web/src/data/resources/comments.ts'
import type { TimeEntry } from '../../web/src/data/resources/time-entries.ts'
import type { Task } from '../../web/src/data/tasks/task-patch.ts'
import type { PageEngine } from './engine-bundle.ts'
import { toSeen } from './intentions.ts'
import { createPageGlobals } from './page-globals.ts'
import type { SimulatedBrowser } from './simulated-browser.ts'
import { COMMENTED_TASK_ID } from './simulated-records.ts'
import { HISTORY } from './simulated-server.ts'
import { PROJECT } from './simulated-tasks.ts'
import type { SimulatedWorld } from './simulated-world.ts'

const SIGN_IN_MS = 5_000

/** One open page: the real code of the web app, and a person who answers its questions. */
export class SimulatedPage {
  readonly engine: PageEngine
  readonly listeners = new Map<string, Set<() => void>>()
  isOpen = true
  /** The list on the screen, which follows the changes of tasks. */
  readonly list
  /** How many changes of the feed it has followed; undefined before it follows any. */
  #position: number | undefined
  readonly #choosing = new Set<string>()
  readonly #browser: SimulatedBrowser
  readonly #world: SimulatedWorld

  constructor(browser: SimulatedBrowser, world: SimulatedWorld) {
    this.#browser = browser
    this.#world = world
    this.engine = browser.loadEngine(createPageGlobals(this, browser, world))
    const { bootState, hasSessionEnded, mutationQueue, setCurrentSession, messages } = this.engine
    const session = {
      user: { id: `usr_${browser.person}`, name: '', timezone: 'UTC', locale: 'en' },
      workspace: { id: 'wsp_1', name: '' },
    }
    bootState.set(
      parse({
        session,
        projects: [PROJECT],
        views: [],
        members: [],
        former: [],
        mine: { due: [] },
        inbox: { unread: 0 },
      }),
    )
    setCurrentSession(session)
    this.engine.setReplyCacheOwner(session.user.id, session.workspace.id)
    this.engine.startReplyWriter()
    hasSessionEnded.subscribe(() => {
      if (hasSessionEnded.get()) world.after(SIGN_IN_MS, () => this.isOpen && this.#signIn())
    })
    const shownToasts = new Set<number>()
    messages.subscribe(() => {
      for (const { id, text, tone } of messages.get()) {
        if (tone === 'trouble' && !shownToasts.has(id))
          browser.messages.push({ at: world.now, text })
        shownToasts.add(id)
      }
    })
    this.#noteCancels()
    mutationQueue.subscribe(() => {
      for (const entry of mutationQueue.get()) world.intentions.record(entry, browser)
      this.#answerConflicts()
    })
    this.#observe()
    this.engine.holdProject(PROJECT.id)
    this.engine.copyTasks()
    this.engine.copyHeldRecords()
    this.list = this.createList([])
    void this.engine.resumeStoredMutations(AbortSignal.abort())
    this.engine.subscribeToTasks((ids) => {
      this.list.update(ids, this.engine.getCachedTask, () => false)
      this.#answerConflicts()
    })
  }

  /** What an undo cancels is not lost; that of many tasks may do so only after earlier replies. */
  #noteCancels(): void {
    const { mutationLog } = this.engine
    const cancel = mutationLog.cancel.bind(mutationLog)
    mutationLog.cancel = (key) => {
      const isCanceled = cancel(key)
      const intention = this.#world.intentions.get(key)
      if (isCanceled && intention) {
        intention.isDiscarded = true
        this.#browser.cancelledAt.set(key, this.#world.now)
      }
      return isCanceled
    }
  }

  get person(): number {
    return this.#browser.person
  }

  /** Tells the code of the page of an event of the browser. */
  dispatch(type: string): void {
    if (!this.isOpen) return
    for (const listener of [...(this.listeners.get(type) ?? [])]) listener()
  }

  /** Brings the page up to date, as a message of the stream of changes does. */
  catchUp(): void {
    if (!this.#browser.isOnline) return
    const { feed } = this.#world.server
    if (this.#world.chance(0.1)) this.loseStream()
    const from = this.#position ?? this.engine.taskReplica.position?.n
    const previous = from === undefined ? undefined : toPosition(from)
    this.#position = feed.length
    const changes = from === undefined ? [] : feed.slice(from)
    this.engine.applyFeedChanges(changes, toPosition(feed.length), previous)
  }

  /** The server no longer knows how to go on from the position of the page. */
  loseStream(): void {
    this.#position = this.#world.server.feed.length
    this.engine.applyFeedChanges([], toPosition(this.#position), undefined)
    this.refetchAll()
  }

  /** A list of the project as the screen shows it. */
  createList(tasks: readonly Task[]) {
    const { createListRules, ListView } = this.engine
    const view = { filter: [], group: 'status', sort: 'title', descending: false } as const
    const filterContext = {
      ...PROJECT,
      members: [],
      tags: [],
      projects: [],
      me: '',
      today: '',
      now: () => 0,
    }
    const rules = createListRules(view, {
      includes: (task) => task.project_id === PROJECT.id,
      filterContext,
      nameOf: () => '',
    })
    return new ListView(rules, tasks)
  }

  /** Reads anew what may have been missed. */
  refetchAll = (): void => void this.engine.refetchAll()

  /** The person presses *Retry* wherever the page says that something could not be read. */
  retryReads(): void {
    const predicate = ({ state }: { state: { status: string } }) => state.status === 'error'
    void this.engine.queryClient.refetchQueries({ predicate })
  }

  /** As `resumeSession` does. */
  #signIn(): void {
    this.#world.endedSessions.delete(this.person)
    this.engine.hasSessionEnded.set(false)
    this.refetchAll()
  }

  get comments(): readonly Comment[] {
    return this.engine.commentsOf(COMMENTED_TASK_ID).read()
  }

  get timeEntries(): readonly TimeEntry[] {
    return this.engine.timeEntriesOf(COMMENTED_TASK_ID).read()
  }

  get shownComments(): readonly Comment[] {
    return this.engine.withPendingPatches(this.comments)
  }

  get shownTimeEntries(): readonly TimeEntry[] {
    return this.engine.withPendingPatches(this.timeEntries)
  }

  get notifications(): readonly Notification[] {
    return this.#read('notifications', 'all')
  }

  #read<T>(...key: string[]): readonly T[] {
    const data = this.engine.queryClient.getQueryData<ListData<T>>(key)
    return data?.data ?? data?.pages?.flatMap((page) => page.data) ?? []
  }

  /** Notes the values on the screen. */
  look(): void {
    for (const task of this.engine.getCachedTasks()) this.#note(this.#browser.seen, task)
    for (const record of [...this.shownComments, ...this.shownTimeEntries])
      noteRecord(this.#browser.seen, record)
    for (const { key } of this.engine.mutationQueue.get())
      this.lookAtConflict(key, this.#browser.seen)
  }

  /** Notes what the page shows of somebody else's change beside a refused one. */
  lookAtConflict(key: string, seen: Set<string>): void {
    const entry = this.engine.mutationQueue.get().find((one) => one.key === key)
    if (entry?.refusal && 'mergeBase' in entry.payload && entry.payload.mergeBase)
      noteRecord(seen, entry.payload.base)
  }

  /** The refused text of a comment that somebody has changed since. */
  findCommentConflict(id: string): MutationOfKind<'comment-edit'> | undefined {
    const conflicts = this.engine.mutationQueue.get().flatMap(({ payload, refusal }) => {
      const isConflict = refusal && payload.kind === 'comment-edit' && payload.mergeBase
      return isConflict && payload.base.id === id ? [payload] : []
    })
    return conflicts.at(0)
  }

  #note(seen: Set<string>, task: Task): void {
    for (const name of ['title', 'description', 'status', 'estimate_seconds'] as const)
      seen.add(toSeen(task.id, name, task[name]))
  }

  /** Mounts the lists that are on the screen. */
  #observe(): void {
    const { QueryObserver, queryClient, requestEndpoint } = this.engine
    void this.engine.holdTimer()
    void this.engine.holdList(this.engine.commentsOf(COMMENTED_TASK_ID))
    void this.engine.holdList(this.engine.timeEntriesOf(COMMENTED_TASK_ID))
    const queryFn = () => requestEndpoint(parse('GET /internal/notifications'), parse({}))
    const queryKey = ['notifications', 'all']
    void new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => undefined)
  }

  /** The person keeps their version, takes the other one, or writes a merge by hand. */
  #answerConflicts(): void {
    for (const { id } of this.engine.getCachedTasks()) {
      const key = this.engine.getTaskConflict(id)?.change.key
      if (key === undefined || this.#choosing.has(key)) continue
      this.#choosing.add(key)
      this.#world.after(this.#world.random() * 20_000, () => {
        this.#choosing.delete(key)
        if (this.isOpen) this.#choose(id, key)
      })
    }
  }

  #choose(id: string, key: string): void {
    const conflict = this.engine.getTaskConflict(id)
    if (conflict?.change.key !== key) return
    const { change, theirs } = conflict
    this.#world.askedAt.set(key, this.#world.now)
    const { chosenTexts, dropped, storedTexts } = this.#browser
    const stored = storedTexts.get(key)
    const { title } = change.patch
    if (stored !== undefined && stored !== title)
      this.#world.server.wrong.push(`${key} has lost the merge ${stored}`)
    const choice = this.#world.random()
    if (choice < 0.3) {
      dropped.add(key)
      this.engine.discardLocalChange(id)
      return
    }
    for (const seen of [this.#world.intentions.get(key)?.seen, this.#browser.seen])
      if (seen) this.#note(seen, theirs)
    const isMerged = title !== undefined && choice < 0.7
    const patch = isMerged ? { ...change.patch, title: `${title} & ${theirs.title}` } : change.patch
    if (isMerged) {
      chosenTexts.set(key, patch.title)
      this.#browser.own.add(toSeen(theirs.id, 'title', patch.title))
    }
    this.engine.keepLocalChange(id, change, theirs, patch)
  }
}

interface ListData<T> {
  data?: readonly T[]
  pages?: readonly { data: readonly T[] }[]
}

/** Notes the values of the fields that people edit. */
function noteRecord(seen: Set<string>, record: { id: string }): void {
  for (const [name, value] of Object.entries(record))
    if (EDITED_FIELDS.has(name)) seen.add(toSeen(record.id, name, value))
}

const EDITED_FIELDS: ReadonlySet<string> = new Set(['body', 'note', 'duration_seconds'])

const toPosition = (number: number): string => `${number}.${HISTORY}`

/** A record of which the page uses only some fields. */
const parse = (record: unknown) => JSON.parse(JSON.stringify(record))
