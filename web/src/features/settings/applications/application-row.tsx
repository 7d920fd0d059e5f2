import type { Application } from '#resources/applications/internal.ts'
import { m } from '../../../messages/applications.ts'
import { Icon } from '../../../ui/icon.tsx'
import { MenuButton } from '../../../ui/menu.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Cell, Row } from '../../../ui/table.tsx'
import { copyId, remove, rotate } from './acts.ts'
import { openApplicationForm } from './application-form.tsx'

interface Props {
  application: Application
  chosen: boolean
  onChoose: () => void
  onSecret: (application: Application, secret: string) => void
}

/** One application: its secret by the end of it, what it is, to whom it is open. */
export function ApplicationRow({ application, chosen, onChoose, onSecret }: Props) {
  const { name, description, type, distribution, secret_hint } = application
  const isPublic = type === 'public'
  return (
    <Row aria-selected={chosen}>
      <Cell className="gut">{secret_hint === null ? m.noSecret : m.hint(secret_hint)}</Cell>
      <Cell>
        <button
          type="button"
          className="clip choose"
          title={description ?? name}
          onClick={onChoose}
        >
          {name}
        </button>
      </Cell>
      <Cell>{m.kinds[type]}</Cell>
      <Cell>{m.openTo[distribution]}</Cell>
      <Cell>
        <Moment at={application.created_at} />
      </Cell>
      <Cell className="end">
        <MenuButton
          label={m.moreFor(name)}
          items={[
            { id: 'open', label: m.open, icon: 'eye', run: onChoose },
            {
              id: 'edit',
              label: m.edit,
              icon: 'edit',
              run: () => openApplicationForm(application),
            },
            { id: 'copy', label: m.copyId, icon: 'copy', run: () => void copyId(application) },
            {
              id: 'rotate',
              label: m.rotate,
              icon: 'refresh',
              ...(isPublic && { reason: m.isPublic }),
              run: () => void rotate(application, onSecret),
            },
            {
              id: 'remove',
              label: m.remove,
              icon: 'trash',
              danger: true,
              run: () => void remove(application),
            },
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
      </Cell>
    </Row>
  )
}
