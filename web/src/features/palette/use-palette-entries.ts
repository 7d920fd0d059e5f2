import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { getCachedViews } from '../../data/resources/cached-views.ts'
import { toSavedViewSearch } from '../../data/resources/saved-view-search.ts'
import { type Boot, useBoot } from '../../data/session/boot.ts'
import type { Task } from '../../data/tasks/task-patch.ts'
import { setTheme } from '../../lib/browser/theme.ts'
import { paletteMessages } from '../../messages/app/palette.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { getErrorMessage } from '../../ui/feedback/error-message.tsx'
import { openMessageHistory } from '../../ui/feedback/message-history.tsx'
import { formatKeyChord } from '../../ui/keyboard/key-chords.ts'
import { isApplePlatform, listActiveShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { getInitials } from '../../ui/marks/avatar.tsx'
import { getTaskMark } from '../../ui/marks/status-mark-name.ts'
import {
  confirmSignOut,
  goToWorkspace,
  openShortcutsDialog,
  openTour,
  requestNewTask,
} from '../shell/index.ts'
import type { PaletteEntry } from './match-entries.ts'

/** The entries of the palette, except the tasks that the server finds. */
export function usePaletteEntries(typed: string) {
  const boot = useBoot('session', 'projects', 'members', 'views')
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
    () => [...buildCommands(boot, navigate), ...screenCommands],
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
        void navigate({ to: '/w/$workspaceId/search', params: { workspaceId }, search: { q } }),
    }
  }, [typed, navigate, workspaceId])
  const places = useMemo(() => buildPlaces(boot, navigate), [boot, navigate])
  return { taskEntry, open, commands, everything, places }
}

type Navigate = ReturnType<typeof useNavigate>
type PaletteBoot = Pick<Boot, 'session' | 'projects' | 'members' | 'views'>

/** The shortcuts of the current screen, as commands. */
const buildScreenCommands = (): PaletteEntry[] =>
  listActiveShortcuts().flatMap(({ name, shortcuts }) =>
    name === paletteMessages.everywhere
      ? []
      : shortcuts.map(
          ({ keys, label, run }): PaletteEntry => ({
            key: `do-${name}-${keys}`,
            kind: 'command',
            label,
            hint: name,
            icon: 'bolt',
            gutter: formatKeyChord(keys, isApplePlatform),
            run: () => run(new KeyboardEvent('keydown')),
          }),
        ),
  )

function buildCommands({ session, projects }: PaletteBoot, navigate: Navigate): PaletteEntry[] {
  const params = { workspaceId: session.workspace.id }
  const command = (
    key: string,
    label: string,
    icon: PaletteEntry['icon'],
    run: () => void,
    keys = '',
  ): PaletteEntry => ({
    key,
    kind: 'command',
    label,
    hint: '',
    run,
    gutter: keys && formatKeyChord(keys, isApplePlatform),
    ...(icon && { icon }),
  })
  const settings = (section: string, label: string, keys?: string) => {
    const to = '/w/$workspaceId/settings/$section'
    const run = () => void navigate({ to, params: { ...params, section } })
    return command(section, paletteMessages.goTo(label), 'gear', run, keys)
  }
  const to = (
    key: 'my' | 'inbox' | 'projects' | 'reports',
    label: string,
    icon: PaletteEntry['icon'],
    keys: string,
  ) =>
    command(
      key,
      paletteMessages.goTo(label),
      icon,
      () => void navigate({ to: `/w/$workspaceId/${key}`, params }),
      keys,
    )
  return [
    to('my', paletteMessages.myWork, 'day', 'g m'),
    to('inbox', paletteMessages.inbox, 'inbox', 'g i'),
    to('projects', paletteMessages.projects, 'project', 'g p'),
    to('reports', paletteMessages.reports, 'chart', 'g r'),
    ...projects
      .filter(({ status }) => status === 'active')
      .map(({ id, name, prefix }) =>
        command(`new-${id}`, shellMessages.newTaskIn(name), 'plus', () => {
          if (requestNewTask(id)) return
          const to = '/w/$workspaceId/p/$prefix'
          void navigate({ to, params: { ...params, prefix }, search: {} })
        }),
      ),
    command('template', paletteMessages.fromTemplate, 'slips', () => {
      const to = '/w/$workspaceId/t/$shortId'
      const go = (shortId: string) => void navigate({ to, params: { ...params, shortId } })
      import('../my-work/screens-bundle.ts')
        .then((bundle) => bundle.openUseTemplateDialog({ go }))
        .catch((error) => showToast({ text: getErrorMessage(error), tone: 'trouble' }))
    }),
    settings('profile', paletteMessages.profile, 'g s'),
    settings('api', paletteMessages.api),
    settings('webhooks', paletteMessages.webhooks),
    settings('members', paletteMessages.members),
    settings('workspace', paletteMessages.workspace),
    settings('audit', paletteMessages.audit),
    ...session.workspaces
      .filter(({ id }) => id !== session.workspace.id)
      .map(({ id, name }) =>
        command(id, paletteMessages.switchTo(name), 'updown', () => goToWorkspace(id)),
      ),
    command('light', paletteMessages.light, 'eye', () => setTheme('light')),
    command('dark', paletteMessages.dark, 'eye', () => setTheme('dark')),
    command('system', paletteMessages.system, 'eye', () => setTheme(undefined)),
    command('docs', paletteMessages.docs, 'book', () => window.open('/docs', '_blank', 'noopener')),
    command('shortcuts', paletteMessages.shortcuts, 'keyboard', openShortcutsDialog, '?'),
    command('tour', paletteMessages.tour, 'book', openTour),
    command('told', paletteMessages.messageHistory, 'talk', openMessageHistory),
    command('sign-out', paletteMessages.signOut, 'arrow', () => void confirmSignOut()),
  ]
}

function buildPlaces(boot: PaletteBoot, navigate: Navigate): PaletteEntry[] {
  const { session, projects, members } = boot
  const params = { workspaceId: session.workspace.id }
  return [
    ...getCachedViews(boot).flatMap((view): PaletteEntry[] => {
      const project = projects.find(({ id }) => id === view.project_id)
      if (!project) return []
      const { prefix, name } = project
      const to = '/w/$workspaceId/p/$prefix'
      const search = toSavedViewSearch(view)
      return [
        {
          key: view.id,
          kind: 'place',
          label: view.name,
          gutter: prefix,
          icon: 'slips',
          hint: paletteMessages.savedView(name),
          run: () => void navigate({ to, params: { ...params, prefix }, search }),
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
          void navigate({ to: '/w/$workspaceId/search', params, search: { who: id } })
        },
      }),
    ),
  ]
}
