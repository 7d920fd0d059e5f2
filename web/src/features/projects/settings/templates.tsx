import { useNavigate } from '@tanstack/react-router'
import type { Project } from '#resources/projects/contract.ts'
import { useBoot } from '../../../data/boot.ts'
import { hiddenTemplates, removeTemplate, useTemplates } from '../../../data/templates.ts'
import { useSignal } from '../../../lib/signal.ts'
import { m } from '../../../messages/templates.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { openEditTemplate } from '../../templates/edit.tsx'
import { openUseTemplate } from '../../templates/use.tsx'

const COLUMNS = m.columns.map((label, at) => ({ label, hidden: at === 3 }))

/** The templates of a project: used, changed, deleted. */
export function Templates({ project }: { project: Project }) {
  const { session } = useBoot()
  const navigate = useNavigate()
  const { data, error, refetch } = useTemplates(project.id)
  const hidden = useSignal(hiddenTemplates)
  const archived = project.status === 'archived' ? m.archived : undefined
  const reason = session.user.role === 'guest' ? m.guest : archived
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={4} />
  const shown = data.filter(({ id }) => !hidden.has(id))
  if (shown.length === 0) return <Empty text={m.none} />
  const go = (shortId: string) =>
    void navigate({
      to: '/w/$workspaceId/t/$shortId',
      params: { workspaceId: session.workspace.id, shortId },
    })
  return (
    <Table label={m.tab} className="template-table" columns={COLUMNS}>
      {shown.map((template, at) => (
        <Row key={template.id}>
          <Cell className="gut">{at + 1}</Cell>
          <Cell>{template.name}</Cell>
          <Cell>{m.counted(template.task_count)}</Cell>
          <Cell className="end acts">
            <Button
              reason={archived}
              aria-label={m.namedUse(template.name)}
              onClick={() =>
                openUseTemplate({ project_id: project.id, template_id: template.id, go })
              }
            >
              {m.use}
            </Button>
            <IconButton
              icon="edit"
              label={m.edit(template.name)}
              reason={reason}
              onClick={() => void openEditTemplate(template.id)}
            />
            <IconButton
              icon="trash"
              label={m.remove(template.name)}
              reason={reason}
              onClick={() => removeTemplate(template)}
            />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
