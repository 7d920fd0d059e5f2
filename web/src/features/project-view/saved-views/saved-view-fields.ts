import type { SavedView } from '../../../data/resources/saved-views.ts'
import { formatSort } from '../../property-definitions.ts'
import { formatFilter } from '../filter/view-filter.ts'
import { type ProjectView, parseViewSearch } from '../project-view.ts'

/** The shown view as the fields of a saved view. */
export const toSavedViewFields = (view: ProjectView) => ({
  view: view.kind,
  f: formatFilter(view.filter),
  sort: formatSort(view),
  group: view.group,
  lanes: view.lanes,
})

/** Whether the shown view differs from a saved view. */
export function differsFromSavedView(
  { view: kind, f, sort, group, lanes }: SavedView,
  view: ProjectView,
): boolean {
  const saved = parseViewSearch({ ...(kind !== 'list' && { view: kind }), f, sort, group, lanes })
  return JSON.stringify(toSavedViewFields(saved)) !== JSON.stringify(toSavedViewFields(view))
}
