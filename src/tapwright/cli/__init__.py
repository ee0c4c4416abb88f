"""The command line: reads flags and files, puts objects together, prints."""
