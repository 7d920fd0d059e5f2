import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { MenuButton, type MenuItem } from '../../../ui/overlays/menu-button.tsx'
import {
  getSortProperty,
  initialOrder,
  type SortBy,
  VIEW_LANES,
  VIEW_SORTS,
} from '../../property-definitions.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { BOARD_GROUPS, type GroupBy, VIEW_GROUPS, type ViewControls } from '../project-view.ts'

/** The menus for grouping and sorting. */
export function ViewMenus({ view, setView }: ViewControls) {
  const { group, lanes } = view
  const { project } = useProjectPageContext()
  const isOffered = (one: GroupBy) => one !== 'project' || project === undefined
  // Only the tasks of a project have an order by hand, and numbers without equals.
  const hasOrder = (sort: SortBy) => project !== undefined || !['position', 'number'].includes(sort)
  const isBoard = view.kind === 'board'
  const groups: readonly GroupBy[] = isBoard ? BOARD_GROUPS : VIEW_GROUPS
  const groupLabel =
    lanes === 'none'
      ? projectViewMessages.properties[group]
      : projectViewMessages.across(
          projectViewMessages.properties[group],
          projectViewMessages.properties[lanes],
        )
  const directions: MenuItem[] = [
    {
      id: 'up',
      label: projectViewMessages.ascending,
      checked: !view.descending,
      run: () => setView({ descending: false }),
    },
    {
      id: 'down',
      label: projectViewMessages.descending,
      checked: view.descending,
      run: () => setView({ descending: true }),
    },
  ]
  const laneItems = VIEW_LANES.filter((one) => one !== group).map((one) => ({
    id: `lanes-${one}`,
    label: projectViewMessages.properties[one],
    checked: one === lanes,
    run: () => setView({ lanes: one }),
  }))
  return (
    <>
      <MenuButton
        kind="plain"
        label={projectViewMessages.groupedBy(groupLabel)}
        title={projectViewMessages.groupedBy(groupLabel)}
        sections={[
          {
            items: groups.filter(isOffered).map((one) => ({
              id: one,
              label: projectViewMessages.properties[one],
              checked: one === group,
              run: () => setView({ group: one, ...(one === lanes && { lanes: 'none' }) }),
            })),
          },
          ...(isBoard ? [{ label: projectViewMessages.lanes, items: laneItems }] : []),
        ]}
      >
        <span className="quiet word">{projectViewMessages.groupBy}</span> <span>{groupLabel}</span>
      </MenuButton>
      <MenuButton
        kind="plain"
        label={projectViewMessages.sortedBy(
          projectViewMessages.properties[getSortProperty(view.sort)],
        )}
        title={projectViewMessages.sortedBy(
          projectViewMessages.properties[getSortProperty(view.sort)],
        )}
        sections={[
          {
            items: VIEW_SORTS.filter(hasOrder).map((sort) => ({
              id: sort,
              label: projectViewMessages.properties[getSortProperty(sort)],
              checked: sort === view.sort,
              run: () => setView(initialOrder(sort)),
            })),
          },
          ...(view.sort === 'position' ? [] : [{ items: directions }]),
        ]}
      >
        <span className="quiet word">{projectViewMessages.sortBy}</span>{' '}
        <span>{projectViewMessages.properties[getSortProperty(view.sort)]}</span>
      </MenuButton>
    </>
  )
}
