import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { getCachedViews } from '../../data/resources/cached-views.ts'
import { getSavedViewLink } from '../../data/resources/saved-view-search.ts'
import { type Boot, useBoot } from '../../data/session/boot.ts'
import { canCreateWorkspace } from '../../data/session/rights.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { customFieldNames } from '../../data/tasks/task-store.ts'
import { isTouch } from '../../lib/browser/is-touch.ts'
import { setTheme } from '../../lib/browser/theme.ts'
import { getInitials } from '../../lib/text/initials.ts'
import { ENGLISH_WORDS, paletteMessages } from '../../messages/app/palette.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { settingsMessages } from '../../messages/settings/settings.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { formatKeyChord } from '../../ui/keyboard/key-chords.ts'
import { listShortcuts } from '../../ui/keyboard/list-shortcuts.ts'
import { isApplePlatform } from '../../ui/keyboard/use-shortcuts.ts'
import { getTaskMark } from '../../ui/marks/status-mark-name.ts'
import {
  formatSort,
  getPropertyName,
  getSortProperty,
  initialOrder,
  listFilterProperties,
  listSorts,
  VIEW_LANES,
} from '../property-definitions.ts'
import {
  confirmSignOut,
  goToWorkspace,
  openFirstSteps,
  openRecentChanges,
  openShortcutsDialog,
  startNewTask,
} from '../shell/index.ts'
import type { PaletteEntry } from './match-entries.ts'

/** The entries of the palette, except the tasks that the server finds. */
export function usePaletteEntries(typed: string) {
  const boot = useBoot('session', 'projects', 'members', 'views', 'settings')
  const navigate = useNavigate()
  const workspaceId = boot.session.workspace.id

  const open = useCallback(
    (short_id: string, beside: boolean) => {
      if (beside) {
        const search = (now: object) => ({ ...now, task: short_id })
        return void navigate({ to: '.', search })
      }
      const params = { workspaceId, shortId: short_id }
      void navigate({ to: '/w/$workspaceId/t/$shortId', params })
    },
    [navigate, workspaceId],
  )

  const taskEntry = useCallback(
    (task: Task): PaletteEntry => {
      const project = boot.projects.find(({ id }) => id === task.project_id)
      return {
        key: task.id,
        kind: 'task',
        label: task.title,
        gutter: task.short_id,
        hint: project?.name ?? '',
        mark: getTaskMark(project, task),
        run: (beside) => open(task.short_id, beside),
      }
    },
    [boot.projects, open],
  )

  // Those that apply where the focus was: the palette takes it now.
  const [screenCommands] = useState(buildScreenCommands)
  const commands = useMemo(
    () => [
      ...screenCommands.ready,
      ...buildViewCommands(navigate),
      ...buildCommands(boot, navigate),
      ...screenCommands.waiting,
    ],
    [boot, navigate, screenCommands],
  )
  const everything = useMemo((): PaletteEntry => {
    const q = typed.trim()
    return {
      key: 'everything',
      kind: 'command',
      label: paletteMessages.everything(q),
      hint: '',
      icon: 'search',
      gutter: '',
      run: () =>
        void navigate({ to: '/w/$workspaceId/all', params: { workspaceId }, search: { f: q } }),
    }
  }, [typed, navigate, workspaceId])
  const places = useMemo(() => buildPlaces(boot, navigate), [boot, navigate])
  return { taskEntry, open, commands, everything, places }
}

/** The sections of the settings, each with what people do there. */
const SETTINGS = [
  ['profile', ['language', 'timeZone', 'password', 'notifications', 'density', 'devices']],
  ['agents', []],
  ['workspace', ['removal']],
  ['members', ['invite', 'roles']],
  ['import', ['import', 'export']],
  ['usage', []],
  ['api', ['apiKey']],
  ['webhooks', []],
  ['applications', []],
  ['audit', []],
] as const

/** Synonyms for the shortcuts of a screen, by their keys or else their id. */
const WORDS_BY_KEYS: Partial<Record<string, WordsKey>> = {
  start: 'start',
  repeat: 'repeat',
  estimate: 'estimate',
  project: 'moveToProject',
  parent: 'parent',
  blockers: 'blockers',
  s: 'status',
  p: 'priority',
  a: 'assignee',
  l: 'tags',
  d: 'due',
  i: 'assignMe',
  e: 'title',
  'e|f2': 'title',
  m: 'comment',
  '#': 'remove',
  'shift+s': 'timer',
  'mod+enter': 'complete',
  '/': 'filter',
}

type Navigate = ReturnType<typeof useNavigate>
type PaletteBoot = Pick<Boot, 'session' | 'projects' | 'members' | 'views' | 'settings'>

/** The shortcuts of the current screen, as commands: those that apply now, and those that need a task first. */
function buildScreenCommands(): { ready: PaletteEntry[]; waiting: PaletteEntry[] } {
  const tables = listShortcuts().filter(({ name }) => name !== paletteMessages.everywhere)
  const all = tables.flatMap(({ name, shortcuts }) =>
    shortcuts.map(({ keys, id = '', label, when, run }) => {
      const isReady = when?.() !== false
      const command = keys || id
      const entry: PaletteEntry = {
        key: `do-${name}-${command}-${label}`,
        kind: 'command',
        label,
        hint: isReady ? name : paletteMessages.needsTask,
        icon: 'bolt',
        gutter: formatKeys(keys),
        words: wordsOf(WORDS_BY_KEYS[command]),
        run: () =>
          isReady
            ? run(new KeyboardEvent('keydown'))
            : showToast({ text: paletteMessages.needsTask }),
      }
      return { entry, isReady, command }
    }),
  )
  const ready = all.filter(({ isReady }) => isReady)
  const isOffered = ({ command }: { command: string }) =>
    ready.some((one) => one.command === command)
  const waiting = all.filter((one) => !one.isReady && WORDS_BY_KEYS[one.command] && !isOffered(one))
  return { ready: ready.map(({ entry }) => entry), waiting: waiting.map(({ entry }) => entry) }
}

interface CommandOptions {
  /** Where it leads, unless its label says so. */
  hint?: string
  words?: WordsKey
  keys?: string
}

/** The keys as the keyboard labels them; a phone has none. */
const formatKeys = (keys: string): string =>
  isTouch() || keys === '' ? '' : formatKeyChord(keys, isApplePlatform)

type WordsKey = keyof typeof ENGLISH_WORDS

const wordsOf = (key: WordsKey | undefined): string[] =>
  key ? [ENGLISH_WORDS[key], paletteMessages.words[key]] : []

function createCommand(
  key: string,
  label: string,
  icon: NonNullable<PaletteEntry['icon']>,
  run: () => void,
  { keys = '', hint = '', words }: CommandOptions = {},
): PaletteEntry {
  const gutter = formatKeys(keys)
  return { key, kind: 'command', label, hint, icon, run, gutter, words: wordsOf(words) }
}

function buildCommands(boot: PaletteBoot, navigate: Navigate): PaletteEntry[] {
  const { session } = boot
  const params = { workspaceId: session.workspace.id }
  const command = createCommand
  const to = (
    key: 'my' | 'all' | 'inbox' | 'projects' | 'reports' | 'trash',
    label: string,
    icon: NonNullable<PaletteEntry['icon']>,
    keys = '',
  ) => {
    const run = () => void navigate({ to: `/w/$workspaceId/${key}`, params })
    return command(key, paletteMessages.goTo(label), icon, run, {
      keys,
      ...(key !== 'all' && { words: key }),
    })
  }
  const theme = (key: 'light' | 'dark' | 'system') => {
    const run = () => setTheme(key === 'system' ? undefined : key)
    return command(key, paletteMessages[key], 'eye', run, { words: 'theme' })
  }
  return [
    to('my', paletteMessages.myWork, 'day', 'g m'),
    ...(['created', 'blocked', 'done'] as const).map((view) =>
      command(`my-${view}`, paletteMessages.goTo(paletteMessages.myViews[view]), 'day', () => {
        void navigate({ to: '/w/$workspaceId/my', params, search: { view } })
      }),
    ),
    to('all', paletteMessages.allTasks, 'slips', 'g a'),
    to('inbox', paletteMessages.inbox, 'inbox', 'g i'),
    to('projects', paletteMessages.projects, 'project', 'g p'),
    to('reports', paletteMessages.reports, 'chart', 'g r'),
    to('trash', shellMessages.trash, 'trash'),
    ...buildProjectCommands(boot, navigate),
    command('template', paletteMessages.fromTemplate, 'slips', () => {
      const to = '/w/$workspaceId/t/$shortId'
      const go = (shortId: string) => void navigate({ to, params: { ...params, shortId } })
      import('../screens-bundle.ts')
        .then((bundle) => bundle.openUseTemplateDialog({ go }))
        .catch(showErrorToast)
    }),
    ...buildSettingsCommands(boot, navigate),
    ...session.workspaces
      .filter(({ id }) => id !== session.workspace.id)
      .map(({ id, name }) =>
        command(id, paletteMessages.switchTo(name), 'updown', () => goToWorkspace(id)),
      ),
    ...(canCreateWorkspace(session.user, boot.settings)
      ? [
          command('new-workspace', paletteMessages.newWorkspace, 'plus', openNewWorkspace, {
            words: 'newWorkspace',
          }),
        ]
      : []),
    ...(['light', 'dark', 'system'] as const).map(theme),
    command('print', paletteMessages.print, 'slips', printPage, { words: 'print' }),
    command('docs', paletteMessages.docs, 'book', openDocs, { words: 'docs' }),
    command('shortcuts', paletteMessages.shortcuts, 'keyboard', openShortcutsDialog, {
      keys: '?',
      words: 'shortcuts',
    }),
    command('first-steps', paletteMessages.firstSteps, 'book', openFirstSteps, {
      words: 'firstSteps',
    }),
    command('recent', paletteMessages.recentChanges, 'talk', openRecentChanges, {
      words: 'recent',
    }),
    command('sign-out', paletteMessages.signOut, 'arrow', () => void confirmSignOut(), {
      words: 'signOut',
    }),
  ]
}

/** How the tasks of the screen are grouped and sorted, which its menus change as well. */
function buildViewCommands(navigate: Navigate): PaletteEntry[] {
  if (!/\/(p\/[^/]+|all|my)$/.test(location.pathname)) return []
  const isOfProject = location.pathname.includes('/p/')
  const isBoard = new URLSearchParams(location.search).get('view') === 'board'
  // A task has one value of each property that forms the columns of a board.
  const fields = customFieldNames.get()
  const groups = listFilterProperties(fields).filter((id) =>
    isBoard ? id === 'status' || id === 'priority' : id !== 'project' || !isOfProject,
  )
  const { groupedBy, lanesBy, sortedBy, properties, views } = projectViewMessages
  const show = (change: { group?: string; lanes?: string; sort?: string }) => () =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...change }) })
  return [
    ...[...groups, ...(isBoard ? [] : ['none' as const])].map((group) =>
      createCommand(`group-${group}`, groupedBy(getPropertyName(group)), 'slips', show({ group }), {
        hint: views,
        words: 'group',
      }),
    ),
    ...(isBoard ? VIEW_LANES : []).map((lanes) =>
      createCommand(`lanes-${lanes}`, lanesBy(properties[lanes]), 'slips', show({ lanes }), {
        hint: views,
        words: 'group',
      }),
    ),
    // Only the tasks of a project have an order by hand, and numbers without equals.
    ...listSorts(fields)
      .filter((sort) => isOfProject || (sort !== 'position' && sort !== 'number'))
      .map((sort) => {
        const run = show({ sort: formatSort(initialOrder(sort)) })
        const label = sortedBy(getPropertyName(getSortProperty(sort)))
        return createCommand(`sort-${sort}`, label, 'updown', run, { hint: views, words: 'sort' })
      }),
  ]
}

const openNewWorkspace = () => {
  import('../accounts/accounts.ts')
    .then((accounts) => accounts.openCreateWorkspaceDialog())
    .catch(showErrorToast)
}

/** Printing stops the page, so the palette must be gone before. */
const printPage = () => void setTimeout(() => print(), 0)

const openDocs = () => void window.open('/docs', '_blank', 'noopener')

/** New tasks and the settings of the active projects, of the open one first. */
function buildProjectCommands({ session, projects }: PaletteBoot, navigate: Navigate) {
  const params = { workspaceId: session.workspace.id }
  const openPrefix = /\/[pt]\/([A-Za-z0-9]+)/.exec(location.pathname)?.[1]?.toUpperCase()
  const isOpen = ({ prefix }: { prefix: string }) => prefix === openPrefix
  const active = projects
    .filter(({ status }) => status === 'active')
    .toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)))
  return [
    ...active.map(({ id, name }) =>
      createCommand(`new-${id}`, shellMessages.newTaskIn(name), 'plus', () => startNewTask(id)),
    ),
    createCommand(
      'new-project',
      paletteMessages.newProject,
      'plus',
      () => void navigate({ to: '/w/$workspaceId/projects', params }),
      { hint: paletteMessages.projects, words: 'newProject' },
    ),
    ...active.map(({ id, name, prefix }) =>
      createCommand(
        `settings-${id}`,
        paletteMessages.settingsOf(name),
        'gear',
        () =>
          void navigate({
            to: '/w/$workspaceId/p/$prefix/settings',
            params: { ...params, prefix },
          }),
        { hint: paletteMessages.pathTo(name, paletteMessages.settings), words: 'project' },
      ),
    ),
  ]
}

/** The sections of the settings, and what people do in each of them. */
function buildSettingsCommands({ session }: PaletteBoot, navigate: Navigate): PaletteEntry[] {
  const { settings, settingsCommands, goTo, pathTo } = paletteMessages
  return SETTINGS.flatMap(([section, commands]) => {
    const params = { workspaceId: session.workspace.id, section }
    const run = () => void navigate({ to: '/w/$workspaceId/settings/$section', params })
    const name = settingsMessages.sections[section]
    const hint = pathTo(settings, name)
    return [
      ...commands.map((key) =>
        createCommand(key, settingsCommands[key], 'gear', run, { hint, words: key }),
      ),
      createCommand(`settings-${section}`, goTo(name), 'gear', run, {
        hint,
        words: section,
        keys: section === 'profile' ? 'g s' : '',
      }),
    ]
  })
}

function buildPlaces(boot: PaletteBoot, navigate: Navigate): PaletteEntry[] {
  const { session, projects, members } = boot
  const params = { workspaceId: session.workspace.id }
  return [
    ...getCachedViews(boot).flatMap((view): PaletteEntry[] => {
      const link = getSavedViewLink(view, session.workspace.id, projects)
      if (!link) return []
      const project = projects.find(({ id }) => id === view.project_id)
      return [
        {
          key: view.id,
          kind: 'place',
          label: view.name,
          gutter: project?.prefix ?? shellMessages.all,
          icon: 'slips',
          hint: paletteMessages.savedView(project?.name ?? shellMessages.allTasks),
          run: () => void navigate(link),
        },
      ]
    }),
    ...projects.map(
      ({ id, name, prefix, status }): PaletteEntry => ({
        key: id,
        kind: 'place',
        label: name,
        gutter: prefix,
        icon: 'project',
        hint: status === 'archived' ? paletteMessages.archived : paletteMessages.project,
        run: () =>
          void navigate({ to: '/w/$workspaceId/p/$prefix', params: { ...params, prefix } }),
      }),
    ),
    ...members.map(
      ({ id, name }): PaletteEntry => ({
        key: id,
        kind: 'place',
        label: name,
        gutter: getInitials(name),
        icon: 'person',
        hint: paletteMessages.person,
        run: () => {
          void navigate({ to: '/w/$workspaceId/all', params, search: { f: `assignee:${id}` } })
        },
      }),
    ),
  ]
}
