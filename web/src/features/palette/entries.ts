import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Task } from '#resources/tasks/fields.ts'
import { type Boot, useBoot } from '../../data/boot.ts'
import { knownViews } from '../../data/known-views.ts'
import { addressOf } from '../../data/saved-address.ts'
import { setTheme } from '../../lib/theme.ts'
import { m } from '../../messages/palette.ts'
import { shownKeys } from '../../ui/chords.ts'
import { isApple, shortcutsNow } from '../../ui/keys.ts'
import { initials } from '../../ui/person.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { openTold } from '../../ui/told.tsx'
import { goToWorkspace } from '../shell/go-to-workspace.ts'
import { leave } from '../shell/leave.ts'
import { wantNewTask } from '../shell/new-task.ts'
import { openShortcuts } from '../shell/shortcuts-open.ts'
import { openTour } from '../shell/tour-open.ts'
import type { Entry } from './found.ts'

/** Everything that the palette offers beside what the server finds. */
export function useEntries(typed: string) {
  const boot = useBoot()
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
    (task: Task): Entry => {
      const project = boot.projects.find(({ id }) => id === task.project_id)
      return {
        key: task.id,
        kind: 'task',
        label: task.title,
        gutter: task.short_id,
        hint: project?.name ?? '',
        mark: stampOf(project?.statuses, task.status, task.status_category),
        run: (beside) => open(task.short_id, beside),
      }
    },
    [boot.projects, open],
  )

  const commands = useMemo(
    () => [...commandsOf(boot, navigate), ...screenCommands()],
    [boot, navigate],
  )
  const everything = useMemo((): Entry => {
    const q = typed.trim()
    return {
      ...{ key: 'everything', kind: 'command', label: m.everything(q), hint: '', icon: 'search' },
      gutter: '',
      run: () =>
        void navigate({ to: '/w/$workspaceId/search', params: { workspaceId }, search: { q } }),
    }
  }, [typed, navigate, workspaceId])
  const places = useMemo(() => placesOf(boot, navigate), [boot, navigate])
  return { taskEntry, open, commands, everything, places }
}

type Navigate = ReturnType<typeof useNavigate>

/** What the screen at hand can do, as its keys do it. */
const screenCommands = (): Entry[] =>
  shortcutsNow().flatMap(({ name, shortcuts }) =>
    name === m.everywhere
      ? []
      : shortcuts.map(
          ({ keys, label, run }): Entry => ({
            ...{ key: `do-${name}-${keys}`, kind: 'command', label, hint: name, icon: 'bolt' },
            gutter: shownKeys(keys, isApple),
            run: () => run(new KeyboardEvent('keydown')),
          }),
        ),
  )

function commandsOf({ session, projects }: Boot, navigate: Navigate): Entry[] {
  const params = { workspaceId: session.workspace.id }
  const command = (
    key: string,
    label: string,
    icon: Entry['icon'],
    run: () => void,
    keys = '',
  ): Entry => ({
    ...{ key, kind: 'command', label, hint: '', run, gutter: keys && shownKeys(keys, isApple) },
    ...(icon && { icon }),
  })
  const settings = (section: string, label: string, keys?: string) => {
    const to = '/w/$workspaceId/settings/$section'
    const run = () => void navigate({ to, params: { ...params, section } })
    return command(section, m.goTo(label), 'gear', run, keys)
  }
  const to = (
    key: 'my' | 'inbox' | 'projects' | 'reports',
    label: string,
    icon: Entry['icon'],
    keys: string,
  ) =>
    command(
      key,
      m.goTo(label),
      icon,
      () => void navigate({ to: `/w/$workspaceId/${key}`, params }),
      keys,
    )
  return [
    to('my', m.myWork, 'day', 'g m'),
    to('inbox', m.inbox, 'inbox', 'g i'),
    to('projects', m.projects, 'project', 'g p'),
    to('reports', m.reports, 'chart', 'g r'),
    ...projects
      .filter(({ status }) => status === 'active')
      .map(({ id, name, prefix }) =>
        command(`new-${id}`, m.newTaskIn(name), 'plus', () => {
          wantNewTask()
          const to = '/w/$workspaceId/p/$prefix'
          void navigate({ to, params: { ...params, prefix }, search: {} })
        }),
      ),
    command('template', m.fromTemplate, 'slips', () => {
      const to = '/w/$workspaceId/t/$shortId'
      const go = (shortId: string) => void navigate({ to, params: { ...params, shortId } })
      void import('../mine.ts').then((it) => it.openUseTemplate({ go }))
    }),
    settings('profile', m.profile, 'g s'),
    settings('api', m.api),
    settings('webhooks', m.webhooks),
    settings('members', m.members),
    settings('workspace', m.workspace),
    settings('audit', m.audit),
    ...session.workspaces
      .filter(({ id }) => id !== session.workspace.id)
      .map(({ id, name }) => command(id, m.switchTo(name), 'updown', () => goToWorkspace(id))),
    command('light', m.light, 'eye', () => setTheme('light')),
    command('dark', m.dark, 'eye', () => setTheme('dark')),
    command('system', m.system, 'eye', () => setTheme(undefined)),
    command('docs', m.docs, 'book', () => window.open('/docs', '_blank', 'noopener')),
    command('shortcuts', m.shortcuts, 'keyboard', openShortcuts, '?'),
    command('tour', m.tour, 'book', openTour),
    command('told', m.told, 'talk', openTold),
    command('sign-out', m.signOut, 'arrow', () => void leave()),
  ]
}

function placesOf(boot: Boot, navigate: Navigate): Entry[] {
  const { session, projects, members } = boot
  const params = { workspaceId: session.workspace.id }
  return [
    ...knownViews(boot).flatMap((view): Entry[] => {
      const project = projects.find(({ id }) => id === view.project_id)
      if (!project) return []
      const { prefix, name } = project
      const to = '/w/$workspaceId/p/$prefix'
      const search = addressOf(view)
      return [
        {
          ...{ key: view.id, kind: 'place', label: view.name, gutter: prefix, icon: 'slips' },
          hint: m.savedView(name),
          run: () => void navigate({ to, params: { ...params, prefix }, search }),
        },
      ]
    }),
    ...projects.map(
      ({ id, name, prefix, status }): Entry => ({
        ...{ key: id, kind: 'place', label: name, gutter: prefix, icon: 'project' },
        hint: status === 'archived' ? m.archived : m.project,
        run: () =>
          void navigate({ to: '/w/$workspaceId/p/$prefix', params: { ...params, prefix } }),
      }),
    ),
    ...members.map(
      ({ id, name }): Entry => ({
        ...{ key: id, kind: 'place', label: name, gutter: initials(name), icon: 'person' },
        hint: m.person,
        run: () => {
          void navigate({ to: '/w/$workspaceId/search', params, search: { who: id } })
        },
      }),
    ),
  ]
}
