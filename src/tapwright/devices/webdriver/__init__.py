"""Any screen behind a WebDriver server: Appium's phones and desktops, chromedriver's browsers."""
