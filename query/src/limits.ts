/** What a question may have at most: characters (UTF-16 units), terms, and levels of parentheses. */
export const longestQuestion = 500
export const mostTerms = 40
export const mostLevels = 5
