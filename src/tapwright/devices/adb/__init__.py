"""Android phones and emulators that adb reaches: by cable, over Wi-Fi, or on another machine."""
