import pLimit from 'p-limit'

const [ofGroup, ofMembers] = [pLimit(4), pLimit(4)]

/**
 * So many messages of the group, and of members, are made ready at once; what else is under way waits for its receivers. All at once, as behind
 * an import that many searches find something in, would keep readers of the site waiting for tenths of a second.
 */
export const atWork = ({ owner_id }: { owner_id: number | null }) => (owner_id === null ? ofGroup : ofMembers)
