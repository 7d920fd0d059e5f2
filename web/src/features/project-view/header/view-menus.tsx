import { customFieldNames } from '../../../data/tasks/task-store.ts'
import { useAtom } from '../../../lib/state/atom.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { MenuButton, type MenuItem } from '../../../ui/overlays/menu-button.tsx'
import {
  getPropertyName,
  getSortProperty,
  initialOrder,
  listSorts,
  type SortBy,
  VIEW_LANES,
} from '../../property-definitions.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { BOARD_GROUPS, type GroupBy, listGroups, type ViewControls } from '../project-view.ts'

/** The menus for grouping and sorting. */
export function ViewMenus({ view, setView }: ViewControls) {
  const { group, lanes } = view
  const { project } = useProjectPageContext()
  const isOffered = (one: GroupBy) => one !== 'project' || project === undefined
  // Only the tasks of a project have an order by hand, and numbers without equals.
  const hasOrder = (sort: SortBy) => project !== undefined || !['position', 'number'].includes(sort)
  const isBoard = view.kind === 'board'
  const fields = useAtom(customFieldNames)
  const groups: readonly GroupBy[] = isBoard ? BOARD_GROUPS : listGroups(fields)
  const sortLabel = getPropertyName(getSortProperty(view.sort))
  const groupLabel =
    lanes === 'none'
      ? getPropertyName(group)
      : projectViewMessages.across(getPropertyName(group), getPropertyName(lanes))
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
    label: getPropertyName(one),
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
              label: getPropertyName(one),
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
        label={projectViewMessages.sortedBy(sortLabel)}
        title={projectViewMessages.sortedBy(sortLabel)}
        sections={[
          {
            items: listSorts(fields)
              .filter(hasOrder)
              .map((sort) => ({
                id: sort,
                label: getPropertyName(getSortProperty(sort)),
                checked: sort === view.sort,
                run: () => setView(initialOrder(sort)),
              })),
          },
          ...(view.sort === 'position' ? [] : [{ items: directions }]),
        ]}
      >
        <span className="quiet word">{projectViewMessages.sortBy}</span> <span>{sortLabel}</span>
      </MenuButton>
    </>
  )
}
