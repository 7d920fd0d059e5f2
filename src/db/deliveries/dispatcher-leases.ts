/**
 * Ends the leases that came with copied rows. They are of processes that serve the original; here
 * they would keep its workspaces claimed for up to half a minute, during which nothing is sent.
 */
export const END_COPIED_LEASES_SQL = 'delete from dispatchers'
