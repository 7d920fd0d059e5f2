import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/tasks.ts'
import { copyText } from '../../ui/copy.tsx'
import { MenuButton, type MenuItem } from '../../ui/menu.tsx'
import { messageOf } from '../../ui/trouble.tsx'
import { apiRequest, askedBy } from './api-request.ts'
import { COLUMNS, type Columns, toggled } from './columns.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'

interface Props {
  view: View
  /** Of a list: which columns it has. */
  columns?: { shown: Columns; change: (columns: Columns) => void }
  items?: readonly MenuItem[]
}

/** What else can be done with a project and its view. */
export function MoreMenu({ view, columns, items = [] }: Props) {
  const { project, boot, meaning, locked, open } = useScreen()
  const navigate = useNavigate()
  const request = apiRequest(project.id, view, meaning)
  const asked = askedBy(view, meaning)
  const save = async (of: NonNullable<typeof asked>) => {
    try {
      const { saveTasks } = await import('./beyond.ts')
      await saveTasks({ ...of, project, meaning, boot })
    } catch (error) {
      toast({ text: messageOf(error), tone: 'trouble' })
    }
  }
  const params = { workspaceId: boot.session.workspace.id, prefix: project.prefix }
  const chosen: MenuItem[] = columns
    ? [
        {
          ...{ id: 'columns', label: m.columnsMenu, icon: 'columns' },
          items: COLUMNS.map(({ id }) => ({
            ...{ id, label: m.columns[id], checked: columns.shown.shown.includes(id) },
            run: () => columns.change(toggled(columns.shown, id)),
          })),
        },
      ]
    : []
  const fromTemplate: MenuItem = {
    ...{ id: 'template', label: m.fromTemplate, icon: 'slips', reason: locked },
    run: () =>
      void import('../mine.ts').then((it) =>
        it.openUseTemplate({ project_id: project.id, go: open }),
      ),
  }
  return (
    <MenuButton
      icon="dots"
      label={m.more}
      sections={[
        { items: [...items, ...chosen, fromTemplate] },
        {
          items: [
            {
              ...{ id: 'request', label: m.copyRequest, icon: 'code' },
              ...(request
                ? { run: () => void copyText(request, m.copiedRequest) }
                : { reason: m.notOfApi }),
            },
            {
              ...{ id: 'reports', label: m.reports, icon: 'chart' },
              run: () => void navigate({ to: '/w/$workspaceId/p/$prefix/reports', params }),
            },
            {
              ...{ id: 'csv', label: m.saveCsv, icon: 'down' },
              ...(asked ? { run: () => void save(asked) } : { reason: m.notOfApi }),
            },
            {
              ...{ id: 'settings', label: m.settings, icon: 'gear' },
              run: () => void navigate({ to: '/w/$workspaceId/p/$prefix/settings', params }),
            },
          ],
        },
      ]}
    />
  )
}
