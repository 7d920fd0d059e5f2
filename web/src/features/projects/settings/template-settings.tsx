import { useNavigate } from '@tanstack/react-router'
import type { Project } from '#resources/projects/contract.ts'
import { deleteTemplateWithUndo, useTemplates } from '../../../data/resources/templates.ts'
import { useBoot, useRight } from '../../../data/session/boot.ts'
import { templateMessages } from '../../../messages/tasks/templates.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { openEditTemplateDialog, openUseTemplateDialog } from '../../templates/index.ts'

const COLUMNS = templateMessages.columns.map((label, at) => ({ label, hidden: at === 3 }))

/** The templates of a project: uses, edits and deletes them. */
export function TemplateSettings({ project }: { project: Project }) {
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const { data, error, refetch } = useTemplates(project.id)
  const archivedReason = project.status === 'archived' ? templateMessages.archived : undefined
  const reason = useRight('shape_projects') ? archivedReason : templateMessages.guest
  if (error && !data) return <ErrorMessage error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={4} />
  if (data.length === 0) return <EmptyState text={templateMessages.none} />
  const go = (shortId: string) =>
    void navigate({
      to: '/w/$workspaceId/t/$shortId',
      params: { workspaceId: session.workspace.id, shortId },
    })
  return (
    <DataTable label={templateMessages.tab} className="template-table" columns={COLUMNS}>
      {data.map((template, at) => (
        <TableRow key={template.id}>
          <TableCell className="gut">{at + 1}</TableCell>
          <TableCell>{template.name}</TableCell>
          <TableCell>{templateMessages.counted(template.task_count)}</TableCell>
          <TableCell className="end acts">
            <Button
              reason={archivedReason}
              aria-label={templateMessages.namedUse(template.name)}
              onClick={() =>
                openUseTemplateDialog({ project_id: project.id, template_id: template.id, go })
              }
            >
              {templateMessages.use}
            </Button>
            <IconButton
              icon="edit"
              label={templateMessages.edit(template.name)}
              reason={reason}
              onClick={() => void openEditTemplateDialog(template.id)}
            />
            <IconButton
              icon="trash"
              label={templateMessages.remove(template.name)}
              reason={reason}
              onClick={() => deleteTemplateWithUndo(template)}
            />
          </TableCell>
        </TableRow>
      ))}
    </DataTable>
  )
}
