import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useBoot } from '../../data/boot.ts'
import { setTheme, themeNow } from '../../lib/theme.ts'
import { m } from '../../messages/shell.ts'
import { MenuButton } from '../../ui/menu.tsx'
import { openTold } from '../../ui/told.tsx'
import { leave } from './leave.ts'
import { openShortcuts } from './shortcuts-open.ts'
import { openTour } from './tour-open.ts'

/** The person; opens what concerns it. */
export function Account({ children }: { children: ReactNode }) {
  const { session } = useBoot()
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id, section: 'profile' }
  const dark = isDark()
  return (
    <MenuButton
      className="account"
      label={m.account(session.user.name)}
      items={[
        {
          id: 'profile',
          label: m.profile,
          run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params }),
        },
        { id: 'keys', label: m.shortcuts, shortcut: '?', run: openShortcuts },
        { id: 'tour', label: m.tour, run: openTour },
        { id: 'told', label: m.told, run: openTold },
        {
          id: 'theme',
          label: dark ? m.light : m.dark,
          run: () => setTheme(dark ? 'light' : 'dark'),
        },
        { id: 'out', label: m.signOut, run: () => void leave() },
      ]}
    >
      {children}
    </MenuButton>
  )
}

/** As it is shown: the system decides where this browser was told nothing. */
const isDark = (): boolean =>
  (themeNow() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
