import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBoot } from '../../data/session/boot.ts'
import { isTouch } from '../../lib/browser/is-touch.ts'
import { getTheme, setTheme } from '../../lib/browser/theme.ts'
import { shellMessages } from '../../messages/app/shell.ts'
import { MenuButton, type MenuItem, type MenuSection } from '../../ui/overlays/menu-button.tsx'
import { openShortcutsDialog } from './shortcuts-state.ts'

/** Without the overlays there is no menu either, so this waits for nothing. */
export const loadShellOverlays = () => import('./overlays.tsx')

/** Opens the checklist for new people. */
export const loadFirstSteps = () => import('./shell-dialogs.ts').then((it) => it.openFirstSteps())

interface AccountMenuProps {
  /** What it is called, and what it has beside the account, where it is the menu of a phone. */
  label?: string
  before?: readonly MenuItem[]
  after?: readonly MenuSection[]
  children: ReactNode
}

/** The menu of the signed-in user. */
export function AccountMenu({ label, before = [], after = [], children }: AccountMenuProps) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, section: 'profile' }
  const isDarkNow = isDark()
  return (
    <MenuButton
      className="account"
      label={label ?? shellMessages.account(session.user.name)}
      sections={[
        {
          items: [
            ...before,
            {
              id: 'profile',
              label: shellMessages.settings,
              run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params }),
            },
            ...(isTouch()
              ? []
              : [
                  {
                    id: 'keys',
                    label: shellMessages.shortcuts,
                    shortcut: '?',
                    run: openShortcutsDialog,
                  },
                ]),
            { id: 'steps', label: shellMessages.firstSteps, run: loadFirstSteps },
            {
              id: 'recent',
              label: shellMessages.recentChanges,
              run: () => import('./shell-dialogs.ts').then((it) => it.openRecentChanges()),
            },
            {
              id: 'theme',
              label: isDarkNow ? shellMessages.light : shellMessages.dark,
              run: () => setTheme(isDarkNow ? 'light' : 'dark'),
            },
            {
              id: 'out',
              label: shellMessages.signOut,
              run: () => loadShellOverlays().then((it) => it.confirmSignOut()),
            },
          ],
        },
        ...after,
      ]}
    >
      {children}
    </MenuButton>
  )
}

/** Whether the page is dark. Without a setting in this browser, the operating system decides. */
const isDark = (): boolean =>
  (getTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
