import { useNavigate } from '@tanstack/react-router'
import { loadAppModule } from '../../../data/app/app-version.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { customFieldNames } from '../../../data/tasks/task-store.ts'
import { formatDuration, listHoursPerDay } from '../../../lib/dates/duration.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { myWorkMessages } from '../../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { MenuButton, type MenuItem, type MenuSection } from '../../../ui/overlays/menu-button.tsx'
import { formatSort, getPropertyName, listColumns } from '../../property-definitions.ts'
import { type FilterContext, toFilterQuery } from '../filter/filter-query.ts'
import { type ColumnSettings, toggleColumn } from '../list/list-columns.ts'
import { type ProjectWithoutCounts, useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'

interface MoreMenuProps {
  view: ProjectView
  /** The columns of a list; other views have none. */
  columns?: { shown: ColumnSettings; change: (columns: ColumnSettings) => void }
  items?: readonly MenuItem[]
}

/** The menu of further actions on a project and its view. */
export function MoreMenu({ view, columns, items = [] }: MoreMenuProps) {
  const { project, boot, filterContext, locked, open } = useProjectPageContext()
  const navigate = useNavigate()
  const apiQuery = toApiQuery(view, filterContext)
  const exportAs = async (
    run: (bundle: typeof import('../lazy/deferred-bundle.ts')) => Promise<void>,
  ) => {
    try {
      await run(await import('../lazy/deferred-bundle.ts'))
    } catch (error) {
      showErrorToast(error)
    }
  }
  const fields = useAtom(customFieldNames)
  const columnItems: MenuItem[] = columns
    ? [
        {
          id: 'columns',
          label: projectViewMessages.columnsMenu,
          icon: 'columns',
          items: listColumns(fields).map((id) => ({
            id,
            label: getPropertyName(id),
            checked: columns.shown.shown.includes(id),
            run: () => columns.change(toggleColumn(columns.shown, id)),
          })),
        },
      ]
    : []
  const { hours_per_day } = useBoot('session').session
  const planItems: MenuItem[] =
    view.group === 'day'
      ? [
          {
            id: 'hours',
            label: myWorkMessages.hoursPerDay,
            icon: 'day',
            items: listHoursPerDay(hours_per_day).map((one) => ({
              id: String(one),
              label: formatDuration(one * 3_600),
              checked: one === hours_per_day,
              run: () =>
                void loadAppModule(() => import('../../../data/session/save-account.ts'))
                  .then(({ saveAccount }) => saveAccount({ hours_per_day: one }))
                  .catch(showErrorToast),
            })),
          },
        ]
      : []
  const projectSections = project
    ? listProjectSections(project, { workspaceId: boot.session.workspace.id })
    : []
  return (
    <MenuButton
      icon="dots"
      label={projectViewMessages.more}
      sections={[{ items: [...items, ...columnItems, ...planItems] }, ...projectSections]}
    />
  )

  function listProjectSections(
    { id, name, prefix }: ProjectWithoutCounts,
    { workspaceId }: { workspaceId: string },
  ): MenuSection[] {
    const params = { workspaceId, prefix }
    return [
      {
        items: [
          {
            id: 'template',
            label: projectViewMessages.fromTemplate,
            icon: 'slips',
            reason: locked,
            run: () =>
              void import('../../screens-bundle.ts').then((it) =>
                it.openUseTemplateDialog({ project_id: id, go: open }),
              ),
          },
        ],
      },
      {
        items: [
          {
            id: 'request',
            label: projectViewMessages.copyRequest,
            icon: 'code',
            ...(apiQuery
              ? { run: () => void exportAs(({ copyCurlCommand }) => copyCurlCommand(id, apiQuery)) }
              : { reason: projectViewMessages.notOfApi }),
          },
          {
            id: 'reports',
            label: projectViewMessages.reports,
            icon: 'chart',
            run: () => void navigate({ to: '/w/$workspaceId/p/$prefix/reports', params }),
          },
          {
            id: 'csv',
            label: projectViewMessages.saveCsv,
            icon: 'down',
            ...(apiQuery
              ? {
                  run: () =>
                    void exportAs(({ downloadTasksCsv }) => {
                      const project = { id, name }
                      return downloadTasksCsv({
                        ...apiQuery,
                        project,
                        meaning: filterContext,
                        boot,
                      })
                    }),
                }
              : { reason: projectViewMessages.notOfApi }),
          },
          {
            id: 'settings',
            label: projectViewMessages.settings,
            icon: 'gear',
            run: () => void navigate({ to: '/w/$workspaceId/p/$prefix/settings', params }),
          },
        ],
      },
    ]
  }
}

/** Sort keys that the public API supports; only the app's internal index supports the others. */
const API_SORT_KEYS = ['position', 'created_at', 'updated_at', 'due_date', 'priority', 'number']

/** A view as query parameters of the public API; undefined if the API cannot express it. */
function toApiQuery(view: ProjectView, meaning: FilterContext) {
  const { api, pageOnly } = toFilterQuery(view.filter, meaning)
  if (Object.keys(pageOnly).length > 0 || !API_SORT_KEYS.includes(view.sort)) return undefined
  return { params: api, sort: formatSort(view) }
}
