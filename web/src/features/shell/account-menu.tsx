import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import { getTheme, setTheme } from '../../lib/browser/theme.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { MenuButton } from '../../ui/overlays/menu-button.tsx'
import { openShortcutsDialog } from './shortcuts-state.ts'
import { openTour } from './tour-state.ts'

/** Without the overlays there is no menu either, so this waits for nothing. */
const load = () => import('./overlays.tsx')

/** The menu of the signed-in user. */
export function AccountMenu({ children }: { children: ReactNode }) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, section: 'profile' }
  const isDarkNow = isDark()
  return (
    <MenuButton
      className="account"
      label={shellMessages.account(session.user.name)}
      items={[
        {
          id: 'profile',
          label: shellMessages.profile,
          run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params }),
        },
        { id: 'keys', label: shellMessages.shortcuts, shortcut: '?', run: openShortcutsDialog },
        { id: 'tour', label: shellMessages.tour, run: openTour },
        {
          id: 'told',
          label: shellMessages.messageHistory,
          run: () => load().then((it) => it.openMessageHistory()),
        },
        {
          id: 'theme',
          label: isDarkNow ? shellMessages.light : shellMessages.dark,
          run: () => setTheme(isDarkNow ? 'light' : 'dark'),
        },
        {
          id: 'out',
          label: shellMessages.signOut,
          run: () => load().then((it) => it.confirmSignOut()),
        },
      ]}
    >
      {children}
    </MenuButton>
  )
}

/** Whether the page is dark. Without a setting in this browser, the operating system decides. */
const isDark = (): boolean =>
  (getTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
