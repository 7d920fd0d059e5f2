import { useNavigate } from '@tanstack/react-router'
import { toasts, undoLatestToast } from '../../data/app/toasts.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts'
import { openPalette } from '../palette/index.ts'
import { startNewTask } from './new-task-request.ts'
import { openShortcutsDialog } from './shortcuts-state.ts'

const canUndo = () => toasts.get().some((one) => one.undo)

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
      hidden: true,
      run: () => openPalette(),
    },
    // Here, because the toasts are loaded a moment after the page.
    { keys: 'mod+z', label: uiMessages.undo, run: undoLatestToast, when: canUndo },
    { keys: '?', label: shellMessages.shortcuts, hidden: true, run: openShortcutsDialog },
    { keys: 'c', label: shellMessages.newTask, run: startNewTask },
    {
      keys: 'g m',
      label: shellMessages.goWork,
      run: () => void navigate({ to: '/w/$workspaceId/my', params }),
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
