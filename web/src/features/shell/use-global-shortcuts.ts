import { useNavigate } from '@tanstack/react-router'
import { loadAppModule } from '../../data/app/app-version.ts'
import { messages } from '../../data/app/toasts.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { showErrorToast } from '../../ui/feedback/error-message.tsx'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { openPalette } from '../palette/index.ts'
import { openShortcutsDialog } from './shortcuts-state.ts'
import { startNewTask } from './start-new-task.ts'

/** What a key does that undoes or redoes a change: the code of that is loaded after the page. */
const reversing = (mode: 'done' | 'undone') => ({
  run: () => {
    loadAppModule(() => import('../../data/app/undo.ts')).then(
      ({ reverseLatest }) => reverseLatest(mode),
      showErrorToast,
    )
  },
  when: () => messages.get().some((one) => one.mode === mode),
})

/** Shortcuts that work on every screen of a workspace. */
export function useGlobalShortcuts(workspaceId: string): void {
  const navigate = useNavigate()
  const params = { workspaceId }
  const settings = { ...params, section: 'profile' }
  useShortcuts('frame', shellMessages.everywhere, [
    {
      keys: 'mod+k',
      label: shellMessages.palette,
      inFields: true,
      run: () => openPalette(),
    },
    { keys: 'mod+z', label: uiMessages.undo, ...reversing('done') },
    { keys: 'mod+shift+z', label: uiMessages.redo, ...reversing('undone') },
    { keys: '?', label: shellMessages.shortcuts, run: openShortcutsDialog },
    { keys: 'c', label: shellMessages.newTask, run: () => startNewTask() },
    {
      keys: 'g m',
      label: shellMessages.goWork,
      run: () => void navigate({ to: '/w/$workspaceId/my', params }),
    },
    {
      keys: 'g a',
      label: shellMessages.goAllTasks,
      run: () => void navigate({ to: '/w/$workspaceId/all', params }),
    },
    {
      keys: 'g i',
      label: shellMessages.goInbox,
      run: () => void navigate({ to: '/w/$workspaceId/inbox', params }),
    },
    {
      keys: 'g p',
      label: shellMessages.goProjects,
      run: () => void navigate({ to: '/w/$workspaceId/projects', params }),
    },
    {
      keys: 'g r',
      label: shellMessages.goReports,
      run: () => void navigate({ to: '/w/$workspaceId/reports', params }),
    },
    {
      keys: 'g s',
      label: shellMessages.goSettings,
      run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params: settings }),
    },
    {
      keys: 'g w',
      label: shellMessages.switchWorkspace,
      run: () => openPalette(shellMessages.switchTyped),
    },
  ])
}
