export const profileTabs = ['profile', 'preferences', 'security'] as const
export type ProfileTab = (typeof profileTabs)[number]

/** The screen's part of the address; without a tab it is the first. */
export type ProfileSearch = { tab?: ProfileTab | undefined }

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const profileSearchSchema = {
  parse({ tab }: Record<string, unknown>): ProfileSearch {
    return { tab: profileTabs.find((known) => known === tab) }
  },
}
