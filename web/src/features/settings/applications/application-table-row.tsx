import type { Application } from '#resources/applications/internal.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import {
  confirmDeleteApplication,
  confirmRotateApplicationSecret,
  copyApplicationId,
} from './application-commands.ts'
import { openApplicationForm } from './application-form.tsx'

interface ApplicationTableRowProps {
  application: Application
  chosen: boolean
  onChoose: () => void
  /** Why the secret cannot be rotated now; undefined if it can. */
  rotateReason: string | undefined
  onSecret: (application: Application, secret: string) => void
}

/** One application: the end of its secret, its client type, and who can authorize it. */
export function ApplicationTableRow({
  application,
  chosen,
  onChoose,
  rotateReason,
  onSecret,
}: ApplicationTableRowProps) {
  const { name, description, type, distribution, secret_hint } = application
  const noRotation = type === 'public' ? applicationMessages.isPublic : rotateReason
  return (
    <TableRow aria-selected={chosen}>
      <TableCell className="gut">
        {secret_hint === null
          ? applicationMessages.noSecret
          : applicationMessages.hint(secret_hint)}
      </TableCell>
      <TableCell>
        <button
          type="button"
          className="clip choose"
          title={description ?? name}
          onClick={onChoose}
        >
          {name}
        </button>
      </TableCell>
      <TableCell>{applicationMessages.kinds[type]}</TableCell>
      <TableCell>{applicationMessages.openTo[distribution]}</TableCell>
      <TableCell>
        <FormattedInstant at={application.created_at} />
      </TableCell>
      <TableCell className="end">
        <MenuButton
          label={applicationMessages.moreFor(name)}
          items={[
            { id: 'open', label: applicationMessages.open, icon: 'eye', run: onChoose },
            {
              id: 'edit',
              label: applicationMessages.edit,
              icon: 'edit',
              run: () => openApplicationForm(application),
            },
            {
              id: 'copy',
              label: applicationMessages.copyId,
              icon: 'copy',
              run: () => void copyApplicationId(application),
            },
            {
              id: 'rotate',
              label: applicationMessages.rotate,
              icon: 'refresh',
              ...(noRotation && { reason: noRotation }),
              run: () => void confirmRotateApplicationSecret(application, onSecret),
            },
            {
              id: 'remove',
              label: applicationMessages.remove,
              icon: 'trash',
              danger: true,
              run: () => void confirmDeleteApplication(application),
            },
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
      </TableCell>
    </TableRow>
  )
}
