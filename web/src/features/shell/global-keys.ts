import { useNavigate } from '@tanstack/react-router'
import { m } from '../../messages/shell.ts'
import { useKeys } from '../../ui/keys.ts'
import { openPalette } from '../palette/open.ts'
import { newTask } from './new-task.ts'
import { openShortcuts } from './shortcuts-open.ts'

/** The keys that work on every screen of a workspace. */
export function useGlobalKeys(workspaceId: string): void {
  const navigate = useNavigate()
  const params = { workspaceId }
  const settings = { ...params, section: 'profile' }
  useKeys(m.everywhere, [
    { keys: 'mod+k', label: m.palette, inFields: true, hidden: true, run: () => openPalette() },
    { keys: '?', label: m.shortcuts, hidden: true, run: openShortcuts },
    { keys: 'c', label: m.newTask, run: newTask },
    {
      keys: 'g m',
      label: m.goWork,
      run: () => void navigate({ to: '/w/$workspaceId/my', params }),
    },
    {
      keys: 'g i',
      label: m.goInbox,
      run: () => void navigate({ to: '/w/$workspaceId/inbox', params }),
    },
    {
      keys: 'g p',
      label: m.goProjects,
      run: () => void navigate({ to: '/w/$workspaceId/projects', params }),
    },
    {
      keys: 'g r',
      label: m.goReports,
      run: () => void navigate({ to: '/w/$workspaceId/reports', params }),
    },
    {
      keys: 'g s',
      label: m.goSettings,
      run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params: settings }),
    },
    { keys: 'g w', label: m.switchWorkspace, run: () => openPalette(m.switchTyped) },
  ])
}
