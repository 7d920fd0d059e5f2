import type { ReactNode } from 'react'
import { useBoot, useRight } from '../../data/session/boot.ts'
import { roleMessages } from '../../messages/app/roles.ts'
import { settingsMessages } from '../../messages/settings/settings.ts'
import { Button } from '../../ui/form/button.tsx'
import { SettingsHeader } from './settings-header.tsx'

interface ManagersOnlyProps {
  title: string
  /** The label of the button that others see disabled, if there is one. */
  create?: string
  /** What the section is for. */
  why: string
  children: ReactNode
}

/** A section for owners and admins; others see what it is for and whom it is limited to. */
export function ManagersOnly({ title, create, why, children }: ManagersOnlyProps) {
  const { role } = useBoot('session').session.user
  if (useRight('manage_workspace')) return children
  const actions = create !== undefined && (
    <Button kind="primary" reason={settingsMessages.managersOnly}>
      {create}
    </Button>
  )
  return (
    <SettingsHeader title={title} actions={actions}>
      {why} {settingsMessages.needsAdmin(roleMessages[role].inSentence)}
    </SettingsHeader>
  )
}
